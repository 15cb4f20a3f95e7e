import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { isSame, type SettingsLab } from './settings-lab.js';
import { CONFIG_MAPS } from '../../src/model/resources/index.js';

const CHECK = 'if obj.status == nil then return {status = "Progressing"} end return {status = "Healthy"}';
export const CHECK_KEY = 'resource.customizations.health.serving.kserve.io_InferenceService';
const SPEC: JsonObject = {
  resourceHealthChecks: [{ group: 'serving.kserve.io', kind: 'InferenceService', check: CHECK }],
  resourceTrackingMethod: 'annotation',
  rbac: { policy: 'g, admins, role:admin' },
  cmdParams: { 'argosy.deadlines': 'true' },
};
const WANTED = {
  'argocd-cm': { [CHECK_KEY]: CHECK, 'application.resourceTrackingMethod': 'annotation' },
  'argocd-rbac-cm': { 'policy.csv': 'g, admins, role:admin' },
  'argocd-cmd-params-cm': { 'argosy.deadlines': 'true' },
} as const;
type MapName = keyof typeof WANTED;

/** One way in which people write into a ConfigMap that is not theirs, and what the Event must say. */
interface Edit {
  readonly name: string;
  readonly map: MapName;
  readonly says: string;
  make(lab: SettingsLab, live: KubeObject): Promise<unknown>;
}

const merge =
  (body: JsonObject) =>
  (lab: SettingsLab, { metadata: { namespace = '', name = '' } }: KubeObject): Promise<unknown> =>
    lab.cluster.patch(CONFIG_MAPS, { namespace, name }, { type: 'merge', body });

export const EDITS: readonly Edit[] = [
  {
    name: 'a check is changed',
    map: 'argocd-cm',
    says: 'spec.resourceHealthChecks[0]',
    make: merge({ data: { [CHECK_KEY]: 'return {status = "Healthy"}' } }),
  },
  {
    name: 'a check of another kind is added',
    map: 'argocd-cm',
    says: 'spec.resourceHealthChecks (group: "serving.kserve.io", kind: TrainedModel)',
    make: merge({ data: { 'resource.customizations.health.serving.kserve.io_TrainedModel': CHECK } }),
  },
  { name: 'a check is removed', map: 'argocd-cm', says: 'was removed', make: merge({ data: { [CHECK_KEY]: null } }) },
  {
    name: 'a check that cannot run is put in',
    map: 'argocd-cm',
    says: 'spec.resourceHealthChecks[0]',
    make: merge({ data: { [CHECK_KEY]: 'hs = {' } }),
  },
  {
    name: 'another setting is added',
    map: 'argocd-cm',
    says: 'spec.extraConfig["url"]',
    make: merge({ data: { url: 'https://argocd.example.com' } }),
  },
  {
    name: 'a setting with a field of its own is added',
    map: 'argocd-cm',
    says: 'spec.oidcConfig',
    make: merge({ data: { 'oidc.config': 'name: SSO' } }),
  },
  {
    name: 'all data is replaced',
    map: 'argocd-cm',
    says: 'and was reverted',
    make: ({ cluster }, live) =>
      cluster.update(CONFIG_MAPS, { ...live, data: { url: 'https://elsewhere.example.com' } }),
  },
  {
    name: 'it is deleted',
    map: 'argocd-cm',
    says: 'was deleted',
    make: ({ cluster }, { metadata: { namespace = '', name = '', uid = '' } }) =>
      cluster.remove(CONFIG_MAPS, { namespace, name }, { uid }),
  },
  {
    name: 'its owner is removed',
    map: 'argocd-cm',
    says: 'owner reference was removed',
    make: merge({ metadata: { ownerReferences: null } }),
  },
  {
    name: 'it is changed and made immutable',
    map: 'argocd-cm',
    says: 'spec.resourceTrackingMethod',
    make: merge({ immutable: true, data: { 'application.resourceTrackingMethod': 'label' } }),
  },
  {
    name: 'a policy is changed',
    map: 'argocd-rbac-cm',
    says: 'spec.rbac.policy',
    make: merge({ data: { 'policy.csv': 'g, everybody, role:admin' } }),
  },
  {
    name: 'a parameter is added',
    map: 'argocd-cmd-params-cm',
    says: 'spec.cmdParams["controller.app.state.cache.expiration"]',
    make: merge({ data: { 'controller.app.state.cache.expiration': '6h' } }),
  },
  {
    name: 'data and our own notes are changed',
    map: 'argocd-cmd-params-cm',
    says: 'spec.cmdParams["argosy.deadlines"]',
    make: merge({
      metadata: { annotations: { 'argosy.dev/settings-digest': null } },
      data: { 'argosy.deadlines': 'false' },
    }),
  },
];

/** The settings that are edited. */
export async function openEdits(lab: SettingsLab, namespace: string): Promise<void> {
  await lab.namespace(namespace);
  await lab.argocd(namespace, 'main', SPEC);
  for (const map of ['argocd-cm', 'argocd-rbac-cm', 'argocd-cmd-params-cm'] as const)
    await lab.untilData(namespace, WANTED[map], map);
}

/** Makes one edit; gives how long it stood, in milliseconds, and what is wrong. */
export async function playEdit(
  lab: SettingsLab,
  namespace: string,
  edit: Edit,
): Promise<{ readonly stood: number; readonly wrong: string[] }> {
  const { map, says } = edit;
  const live = await lab.map(namespace, map);
  if (live === undefined) return { stood: 0, wrong: [`${map} is not there`] };
  const before = (await lab.events(namespace, 'SettingsReverted', map)).length;
  await edit.make(lab, live);
  const made = performance.now();
  const after = await lab.until(`${edit.name}: taken back`, async () => {
    const found = await lab.map(namespace, map);
    return (
      found !== undefined &&
      isSame(found.data, WANTED[map]) &&
      (found.metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'ArgoCD' && name === 'main') &&
      found.immutable !== true &&
      found
    );
  });
  const stood = performance.now() - made;
  const told = await lab.until(`${edit.name}: an Event`, async () => {
    const events = await lab.events(namespace, 'SettingsReverted', map);
    return events.length > before && events;
  });
  const wrong = [
    ...(stood > 1000 ? [`${edit.name}: stood for ${Math.round(stood)} ms`] : []),
    ...(told.some((message) => message.includes(says))
      ? []
      : [`${edit.name}: no Event says ${says}: ${told.join('; ')}`]),
    ...(after.metadata.resourceVersion === live.metadata.resourceVersion ? [`${edit.name}: was never written`] : []),
  ];
  return { stood, wrong };
}
