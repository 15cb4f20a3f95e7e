import { quantityOf, type KubeObject, type Quantity } from '../../model/kubernetes/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { has, items, maybe, number, sub, text, texts } from '../resources/index.js';
import { qosClass } from '../kinds/index.js';
import { amountsAt, type Amounts } from './amounts.js';
import { podResources } from './pod-resources.js';
import { meets, type Measure, type ScopeRequirement } from './quota-measure.js';

const ONE = quantityOf(1);
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const NAMES = new Set([
  'pods',
  'count/pods',
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
/** Where a quota has one of these, every container must say what it asks for. */
const REQUIRED_NAMES = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

export function podQuotaNames(names: Iterable<string>): string[] {
  return [...names].filter(
    (name) =>
      NAMES.has(name) ||
      /^(requests\.)?hugepages-/.test(name) ||
      (name.startsWith('requests.') && isExtended(name.slice('requests.'.length))),
  );
}

export function podMeasure(pod: KubeObject): Measure {
  const spec = sub(pod, 'spec');
  const counted: Amounts = new Map([['count/pods', ONE]]);
  const full: Amounts = new Map([
    ['count/pods', ONE],
    ...charges(podResources(pod, 'requests', { asCharged: true }), podResources(pod, 'limits', { asCharged: true })),
  ]);
  const ended = ['Succeeded', 'Failed'].includes(text(maybe(pod, 'status'), 'phase'));
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  // A pod that outlives its grace period twice hangs on a lost node; its owner may start another one meanwhile.
  const until =
    deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined
      ? undefined
      : Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
  const scopes = {
    terminating: (number(spec, 'activeDeadlineSeconds') ?? -1) >= 0,
    bestEffort: qosClass(spec) === 'BestEffort',
    priority: text(spec, 'priorityClassName'),
    crossing: crossesNamespaces(spec),
  };
  return {
    usage: (now) => (ended || (until !== undefined && now.getTime() > until) ? counted : full),
    matches: (scope) => matches(scope, scopes),
    ...(ended || until === undefined ? {} : { until }),
  };
}

function matches(
  requirement: ScopeRequirement,
  pod: { terminating: boolean; bestEffort: boolean; priority: string; crossing: boolean },
): boolean {
  switch (requirement.scope) {
    case 'Terminating':
      return pod.terminating;
    case 'NotTerminating':
      return !pod.terminating;
    case 'BestEffort':
      return pod.bestEffort;
    case 'NotBestEffort':
      return !pod.bestEffort;
    case 'PriorityClass':
      return meets(pod.priority, requirement);
    case 'CrossNamespacePodAffinity':
      return pod.crossing;
    default:
      return false;
  }
}

function crossesNamespaces(spec: JsonObject): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const affinity = maybe(spec, `affinity.${kind}`);
    const terms = [
      ...items(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...items(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').map((weighted) =>
        sub(weighted, 'podAffinityTerm'),
      ),
    ];
    return terms.some((term) => texts(term, 'namespaces').length > 0 || has(term, 'namespaceSelector'));
  });
}

/** Requests and limits under the names that quotas use. */
function charges(requests: Amounts, limits: Amounts): [string, Quantity][] {
  const list: [string, Quantity][] = [['pods', ONE]];
  for (const [name, quantity] of requests) {
    if (COMPUTE.includes(name) || name.startsWith('hugepages-'))
      list.push([name, quantity], [`requests.${name}`, quantity]);
    else if (isExtended(name)) list.push([`requests.${name}`, quantity]);
  }
  for (const [name, quantity] of limits) if (COMPUTE.includes(name)) list.push([`limits.${name}`, quantity]);
  return list;
}

/** `must specify limits.cpu for: app`, or undefined where every container says what the quota needs to know. */
export function missingAmounts(pod: KubeObject, names: readonly string[]): string | undefined {
  const spec = sub(pod, 'spec');
  const whole = ['requests', 'limits'].some((list) =>
    [...amountsAt(spec, `resources.${list}`).keys()].some(
      (name) => ['cpu', 'memory'].includes(name) || name.startsWith('hugepages-'),
    ),
  );
  if (whole) return undefined;
  const required = names.filter((name) => REQUIRED_NAMES.includes(name)).sort();
  const containers = [...items(spec, 'containers'), ...items(spec, 'initContainers')];
  const known = containers.map((container) => ({
    name: text(container, 'name'),
    says: new Set(
      charges(amountsAt(container, 'resources.requests'), amountsAt(container, 'resources.limits')).map(
        ([name]) => name,
      ),
    ),
  }));
  const missing = required.flatMap((name) => {
    const silent = [...new Set(known.filter(({ says }) => !says.has(name)).map((container) => container.name))].sort();
    return silent.length === 0 ? [] : [`${name} for: ${silent.join(',')}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}
