import { equal, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { invalid } from '../../errors/index.js';
import { items, maybe, text } from '../../resources/index.js';
import type { AdmissionRequest, AdmissionPlugin } from '../../rest/index.js';
import { isAbout, type HeadLister } from '../head-lister.js';
import { admissionForbidden } from '../admission-forbidden.js';
import type { PodParts } from './check.js';
import {
  policyOf,
  policyText,
  stricter,
  violations,
  violationsText,
  type LevelVersion,
  type Policy,
} from './policy.js';

/** Where kinds that make pods keep the template. */
const TEMPLATES: Readonly<Record<string, string>> = {
  '/podtemplates': 'template',
  '/replicationcontrollers': 'spec.template',
  'apps/replicasets': 'spec.template',
  'apps/deployments': 'spec.template',
  'apps/statefulsets': 'spec.template',
  'apps/daemonsets': 'spec.template',
  'batch/jobs': 'spec.template',
  'batch/cronjobs': 'spec.jobTemplate.spec.template',
};
const MAX_PODS = 3000;

/** Holds pods to the Pod Security Standard that labels of their namespace name. */
export function podSecurity(newest: HeadLister): AdmissionPlugin {
  const policyIn = (namespace: string): Policy =>
    policyOf(newest.get(['', 'namespaces'], '', namespace)?.metadata.labels);
  return {
    name: 'PodSecurity',
    validate(request) {
      const { object, type } = request;
      if (!object) return;
      if (isAbout(request, '', 'namespaces')) return checkNamespace(request, object, newest);
      if (type.group === '' && type.plural === 'pods') return checkPod(request, object, policyIn);
      const path = request.subresource === '' && !type.custom ? TEMPLATES[`${type.group}/${type.plural}`] : undefined;
      const template = path === undefined ? undefined : maybe(object, path);
      if (template) warnAbout(request, policyIn(request.namespace), partsOf(template));
    },
  };
}

function partsOf(template: JsonObject): PodParts {
  return { metadata: maybe(template, 'metadata') ?? {}, spec: maybe(template, 'spec') ?? {} };
}

function checkPod(request: AdmissionRequest, pod: KubeObject, policyIn: (namespace: string) => Policy): void {
  if (!['', 'ephemeralcontainers', 'resize'].includes(request.subresource)) return;
  const policy = policyIn(request.namespace);
  if (policy.enforce.level === 'privileged' && policy.warn.level === 'privileged') return;
  if (request.old && !newImages(pod, request.old)) return;
  const found = violations(policy.enforce, partsOf(pod));
  if (found.length > 0)
    throw admissionForbidden(
      request,
      `violates PodSecurity ${JSON.stringify(policyText(policy.enforce))}: ${violationsText(found)}`,
    );
  warnAbout(request, policy, partsOf(pod));
}

function warnAbout(request: AdmissionRequest, { warn }: Policy, pod: PodParts): void {
  const found = violations(warn, pod);
  if (found.length > 0)
    request.warn(`would violate PodSecurity ${JSON.stringify(policyText(warn))}: ${violationsText(found)}`);
}

/** Only another image or another container can make a running pod worse. */
function newImages(pod: KubeObject, old: KubeObject): boolean {
  const images = (of: KubeObject, list: string): string[] =>
    items(maybe(of, 'spec'), list).map((container) => text(container, 'image'));
  if (['containers', 'initContainers'].some((list) => images(pod, list).join('\n') !== images(old, list).join('\n')))
    return true;
  const before = new Map(
    items(maybe(old, 'spec'), 'ephemeralContainers').map((container) => [
      text(container, 'name'),
      text(container, 'image'),
    ]),
  );
  return items(maybe(pod, 'spec'), 'ephemeralContainers').some(
    (container) => before.get(text(container, 'name')) !== text(container, 'image'),
  );
}

function checkNamespace(request: AdmissionRequest, namespace: KubeObject, newest: HeadLister): void {
  const now = policyOf(namespace.metadata.labels);
  const before = request.old && policyOf(request.old.metadata.labels);
  const known =
    before !== undefined &&
    equal(
      now.errors.map(({ field, detail }) => [field, detail]),
      before.errors.map(({ field, detail }) => [field, detail]),
    );
  if (now.errors.length > 0 && !known) throw invalid(request.type, request.name, now.errors);
  if (!before || now.enforce.level === 'privileged' || policyText(now.enforce) === policyText(before.enforce)) return;
  if (now.enforce.version === before.enforce.version && !stricter(now.enforce.level, before.enforce.level)) return;
  for (const warning of existingPods(newest.list(['', 'pods'], request.name), request.name, now.enforce))
    request.warn(warning);
}

/** Existing pods that violate the new level, one warning for each set of reasons. */
function existingPods(all: readonly KubeObject[], namespace: string, enforce: LevelVersion): string[] {
  const pods = onePerControllerFirst(all);
  const groups = new Map<string, string[]>();
  for (const pod of pods.slice(0, MAX_PODS)) {
    const reasons = violations(enforce, partsOf(pod))
      .map(({ reason }) => reason)
      .join(', ');
    if (reasons !== '') groups.set(reasons, [...(groups.get(reasons) ?? []), pod.metadata.name ?? '']);
  }
  const lines = [...groups].map(([reasons, names]) => {
    const others = names.length - 1;
    const more = others === 0 ? '' : ` (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
    return `${[...names].sort()[0] ?? ''}${more}: ${reasons}`;
  });
  return [
    ...(pods.length > MAX_PODS
      ? [`new PodSecurity enforce level only checked against the first ${MAX_PODS} of ${pods.length} existing pods`]
      : []),
    ...(lines.length > 0
      ? [
          `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce ` +
            `level ${JSON.stringify(policyText(enforce))}`,
        ]
      : []),
    ...lines.sort(),
  ];
}

function onePerControllerFirst(pods: readonly KubeObject[]): KubeObject[] {
  const seen = new Set<string>();
  const later: KubeObject[] = [];
  const first = pods.filter((pod) => {
    const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid;
    if (owner === undefined) return true;
    if (seen.has(owner)) later.push(pod);
    return !seen.has(owner) && seen.add(owner).size > 0;
  });
  return [...first, ...later];
}
