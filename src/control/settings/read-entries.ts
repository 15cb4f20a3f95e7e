import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { controllerEntries } from './controller-entries.js';
import { customizationEntries } from './customization-entries.js';
import type { Entry, MapName, FieldViolation, ReadEntries } from './entry.js';

type Form = 'text' | 'flag' | 'opposite' | 'number' | 'names';

/** Fields that are one key each. */
const FIELDS: readonly (readonly [path: string, map: MapName, key: string, form: Form])[] = [
  ['resourceExclusions', 'argocd-cm', 'resource.exclusions', 'text'],
  ['resourceInclusions', 'argocd-cm', 'resource.inclusions', 'text'],
  ['resourceTrackingMethod', 'argocd-cm', 'application.resourceTrackingMethod', 'text'],
  ['applicationInstanceLabelKey', 'argocd-cm', 'application.instanceLabelKey', 'text'],
  ['installationID', 'argocd-cm', 'installationID', 'text'],
  ['resourceCustomizations', 'argocd-cm', 'resource.customizations', 'text'],
  ['oidcConfig', 'argocd-cm', 'oidc.config', 'text'],
  ['disableAdmin', 'argocd-cm', 'admin.enabled', 'opposite'],
  ['statusBadgeEnabled', 'argocd-cm', 'statusbadge.enabled', 'flag'],
  ['usersAnonymousEnabled', 'argocd-cm', 'users.anonymous.enabled', 'flag'],
  ['webTerminalEnabled', 'argocd-cm', 'exec.enabled', 'flag'],
  ['kustomizeBuildOptions', 'argocd-cm', 'kustomize.buildOptions', 'text'],
  ['gaTrackingID', 'argocd-cm', 'ga.trackingid', 'text'],
  ['gaAnonymizeUsers', 'argocd-cm', 'ga.anonymizeusers', 'flag'],
  ['helpChatURL', 'argocd-cm', 'help.chatUrl', 'text'],
  ['helpChatText', 'argocd-cm', 'help.chatText', 'text'],
  ['banner.content', 'argocd-cm', 'ui.bannercontent', 'text'],
  ['banner.url', 'argocd-cm', 'ui.bannerurl', 'text'],
  ['banner.permanent', 'argocd-cm', 'ui.bannerpermanent', 'flag'],
  ['banner.position', 'argocd-cm', 'ui.bannerposition', 'text'],
  ['sso.dex.config', 'argocd-cm', 'dex.config', 'text'],
  ['rbac.policy', 'argocd-rbac-cm', 'policy.csv', 'text'],
  ['rbac.defaultPolicy', 'argocd-rbac-cm', 'policy.default', 'text'],
  ['rbac.scopes', 'argocd-rbac-cm', 'scopes', 'text'],
  ['rbac.policyMatcherMode', 'argocd-rbac-cm', 'policy.matchMode', 'text'],
  ['sourceNamespaces', 'argocd-cmd-params-cm', 'application.namespaces', 'names'],
  ['controller.processors.operation', 'argocd-cmd-params-cm', 'controller.operation.processors', 'number'],
  ['controller.processors.status', 'argocd-cmd-params-cm', 'controller.status.processors', 'number'],
  ['controller.parallelismLimit', 'argocd-cmd-params-cm', 'controller.kubectl.parallelism.limit', 'number'],
  ['controller.logLevel', 'argocd-cmd-params-cm', 'controller.log.level', 'text'],
  ['controller.logFormat', 'argocd-cmd-params-cm', 'controller.log.format', 'text'],
  ['controller.sharding.algorithm', 'argocd-cmd-params-cm', 'controller.sharding.algorithm', 'text'],
  ['controller.appSync', 'argocd-cm', 'timeout.reconciliation', 'text'],
  ['controller.respectRBAC', 'argocd-cm', 'resource.respectRBAC', 'text'],
];

/** Parts of the spec that are read elsewhere. */
const PARTS = [
  'resourceHealthChecks',
  'resourceIgnoreDifferences',
  'resourceActions',
  'extraConfig',
  'cmdParams',
  'ignoreDifferences',
  'controller.env',
  'controller.extraCommandArgs',
];

/** Every key that an ArgoCD object sets; the last entry of a key wins. */
export function readEntries(spec: JsonObject): ReadEntries {
  const violations: FieldViolation[] = [];
  const entries = FIELDS.flatMap(([path, map, key, form]): Entry[] => {
    const found = at(spec, path);
    if (found === undefined || found === null) return [];
    const value = write(found, form);
    if (value !== undefined) return [{ map, key, value, field: `spec.${path}` }];
    violations.push({ field: `spec.${path}`, message: `must be ${FORMS[form]}` });
    return [];
  });
  const controller = isObject(spec.controller) ? spec.controller : {};
  return {
    entries: [
      ...entries,
      ...customizationEntries(spec),
      ...controllerEntries(controller).entries,
      ...free(spec, 'extraConfig', 'argocd-cm'),
      ...free(spec, 'cmdParams', 'argocd-cmd-params-cm'),
    ],
    violations: violations,
  };
}

/** The dedicated field of a key, if there is one. */
export function fieldOfKey(map: MapName, key: string): string | undefined {
  const found = FIELDS.find(([, ofMap, ofKey]) => ofMap === map && ofKey === key);
  return found === undefined ? undefined : `spec.${found[0]}`;
}

/** Fields that are kept and do nothing here, such as those of workloads that Argo CD's operator starts. */
export function fieldsWithoutEffect(spec: JsonObject): string[] {
  const controller = isObject(spec.controller) ? spec.controller : {};
  return [...unread(spec, ''), ...controllerEntries(controller).unused];
}

function unread(object: JsonObject, before: string): string[] {
  return Object.keys(object)
    .sort()
    .flatMap((name) => {
      const path = `${before}${name}`;
      if (PARTS.includes(path) || FIELDS.some(([known]) => known === path)) return [];
      const value = own(object, name);
      const isAbove = FIELDS.some(([known]) => known.startsWith(`${path}.`));
      if (isAbove && isObject(value)) return unread(value, `${path}.`);
      return [`spec.${path}`];
    });
}

const FORMS: Readonly<Record<Form, string>> = {
  text: 'a text',
  flag: 'true or false',
  opposite: 'true or false',
  number: 'a whole number',
  names: 'a list of texts',
};

function write(value: Json, form: Form): string | undefined {
  switch (form) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'flag':
      return typeof value === 'boolean' ? String(value) : undefined;
    case 'opposite':
      return typeof value === 'boolean' ? String(!value) : undefined;
    case 'number':
      return typeof value === 'number' && Number.isInteger(value) ? String(value) : undefined;
    case 'names':
      return isArray(value) && value.every((each) => typeof each === 'string') ? value.join(',') : undefined;
    default:
      return form satisfies never;
  }
}

function at(spec: JsonObject, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>((inside, name) => (isObject(inside) ? own(inside, name) : undefined), spec);
}

function free(spec: JsonObject, name: 'extraConfig' | 'cmdParams', map: MapName): Entry[] {
  const values = own(spec, name);
  if (!isObject(values)) return [];
  return Object.keys(values).flatMap((key) => {
    const value = own(values, key);
    return typeof value === 'string' ? [{ map, key, value, field: `spec.${name}[${JSON.stringify(key)}]` }] : [];
  });
}
