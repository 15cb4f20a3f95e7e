import { own, put, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ensure, has, items, maybe, text } from '../resources/index.js';
import { quantities } from '../kinds/index.js';
import type { AdmissionRequest, AdmissionPlugin } from '../rest/index.js';
import { NOTHING, amountsAt } from './amounts.js';
import { checkMaximum, checkMaximumRequest, checkMinimum, checkRatio, type Bounded } from './limit-constraints.js';
import { isAbout, type HeadLister } from './head-lister.js';
import { podResources } from './pod-resources.js';
import { admissionForbidden } from './admission-forbidden.js';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Gives containers the default amounts of the namespace's LimitRanges, and refuses what is outside of their bounds. */
export function limitRanger(newest: HeadLister): AdmissionPlugin {
  const rangesOf = (request: AdmissionRequest): KubeObject[] => newest.list(['', 'limitranges'], request.namespace);
  return {
    name: 'LimitRanger',
    mutate(request) {
      if (!request.object || !concerns(request) || !isPod(request)) return;
      for (const range of rangesOf(request)) setDefaults(request.object, range);
    },
    validate(request) {
      const { object } = request;
      if (!object || !concerns(request)) return;
      for (const range of rangesOf(request)) {
        const limits = items(maybe(range, 'spec'), 'limits');
        const complaints = limits.flatMap((limit) =>
          isPod(request) ? checkPod(object, limit) : checkClaim(object, limit),
        );
        if (complaints.length > 0) throw admissionForbidden(request, joinErrors(complaints));
      }
    },
  };
}

function isPod({ type }: AdmissionRequest): boolean {
  return type.plural === 'pods';
}

function concerns(request: AdmissionRequest): boolean {
  const { operation, old } = request;
  if (operation === 'DELETE' || old?.metadata.deletionTimestamp !== undefined) return false;
  if (operation === 'UPDATE')
    return isAbout(request, '', 'pods', 'resize') || isAbout(request, '', 'persistentvolumeclaims');
  return isAbout(request, '', 'pods') || isAbout(request, '', 'persistentvolumeclaims');
}

/** As Go joins several errors: each text once. */
function joinErrors(complaints: readonly string[]): string {
  const unique = [...new Set(complaints)];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
}

function setDefaults(pod: KubeObject, range: KubeObject): void {
  const defaults = items(maybe(range, 'spec'), 'limits').filter((limit) => text(limit, 'type') === 'Container');
  const spec = maybe(pod, 'spec');
  const notes: string[] = [];
  for (const [list, word] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    for (const container of items(spec, list)) {
      const limits = fillIn(container, 'limits', defaults, 'default');
      const requests = fillIn(container, 'requests', defaults, 'defaultRequest');
      if (requests.length > 0) notes.push(`${requests.join(', ')} request for ${word} ${text(container, 'name')}`);
      if (limits.length > 0) notes.push(`${limits.join(', ')} limit for ${word} ${text(container, 'name')}`);
    }
  }
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
}

/** Sets what the container does not say; gives the names that were set. */
function fillIn(
  container: JsonObject,
  list: 'limits' | 'requests',
  defaults: readonly JsonObject[],
  from: string,
): string[] {
  const values = new Map(defaults.flatMap((limit) => quantities(limit, from)));
  const known = maybe(container, `resources.${list}`) ?? {};
  const missing = [...values.keys()].filter((name) => !has(known, name)).sort();
  if (missing.length === 0) return [];
  const target = ensure(ensure(container, 'resources'), list);
  for (const name of missing) put(target, name, values.get(name));
  return missing;
}

function checkPod(pod: KubeObject, limit: JsonObject): string[] {
  const spec = maybe(pod, 'spec');
  switch (own(limit, 'type')) {
    case 'Container':
      return [...items(spec, 'containers'), ...items(spec, 'initContainers')].flatMap((container) =>
        checkAll(limit, {
          kind: 'Container',
          requests: amountsAt(container, 'resources.requests'),
          limits: amountsAt(container, 'resources.limits'),
        }),
      );
    case 'Pod':
      return checkAll(limit, {
        kind: 'Pod',
        requests: podResources(pod, 'requests', { asCharged: false }),
        limits: podResources(pod, 'limits', { asCharged: false }),
      });
    default:
      return [];
  }
}

function checkAll(limit: JsonObject, of: Bounded): string[] {
  const each = (list: string, check: typeof checkMinimum): string[] =>
    [...amountsAt(limit, list)].flatMap(([name, quantity]) => check(of, name, quantity) ?? []);
  return [...each('min', checkMinimum), ...each('max', checkMaximum), ...each('maxLimitRequestRatio', checkRatio)];
}

function checkClaim(claim: KubeObject, limit: JsonObject): string[] {
  if (own(limit, 'type') !== 'PersistentVolumeClaim') return [];
  const of: Bounded = {
    kind: 'PersistentVolumeClaim',
    requests: amountsAt(claim, 'spec.resources.requests'),
    limits: NOTHING,
  };
  const each = (list: string, check: typeof checkMinimum): string[] =>
    [...amountsAt(limit, list)].flatMap(([name, quantity]) => check(of, name, quantity) ?? []);
  return [...each('min', checkMinimum), ...each('max', checkMaximumRequest)];
}
