import { equal, own, put, type JsonObject } from '../../model/json/index.js';
import { labelSelectorOf, matchesLabels, type KubeObject, type OwnerReference } from '../../model/kubernetes/index.js';
import { type ResourceName, type WatchedObject, timestamp } from '../rest/index.js';
import { count, items, maybe, sub, text, texts } from '../resources/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  type ObjectName,
  controllerOf,
} from '../controller-runtime/index.js';
import { scaledValue } from './common/int-or-percent.js';
import { isReady } from './common/pod-conditions.js';
import { PODS } from '../../model/resources/index.js';

const BUDGETS = { group: 'policy', plural: 'poddisruptionbudgets' } as const;
/** As the real component calls itself in its Events. */
const EVENT_SOURCE = 'controllermanager';
/** How long an evicted pod may take to be deleted before it counts as healthy again. */
const DELETION_TIMEOUT = 120_000;

const SCALED: ReadonlyMap<string, ResourceName> = new Map([
  ['ReplicationController', { group: '', plural: 'replicationcontrollers' }],
  ['ReplicaSet', { group: 'apps', plural: 'replicasets' }],
  ['Deployment', { group: 'apps', plural: 'deployments' }],
  ['StatefulSet', { group: 'apps', plural: 'statefulsets' }],
]);
const UNSCALED: ReadonlyMap<string, string> = new Map([
  ['DaemonSet', 'daemonsets.apps'],
  ['Job', 'jobs.batch'],
  ['CronJob', 'cronjobs.batch'],
]);

/** Says how many pods of each PodDisruptionBudget may be evicted now. */
export const disruptionController: Controller = reconciler({
  name: 'disruption-controller',
  workClass: 'noting',
  watches: [
    { of: BUDGETS, keys: ownKey },
    { of: PODS, keys: budgetsOfPod },
    ...[...SCALED.values()].map((of) => ({ of, keys: budgetsWhenScaled })),
  ],
  async reconcile({ namespace, name }, host) {
    const budget = host.client.get(BUDGETS, namespace, name);
    return budget && reconcile(budget, host);
  },
});

function selects(budget: KubeObject, pod: KubeObject): boolean {
  return matchesLabels(labelSelectorOf(maybe(budget, 'spec.selector')), pod.metadata.labels);
}

function budgetsIn(
  { client }: ControllerHost,
  namespace: string,
  concerned: (budget: KubeObject) => boolean,
): ObjectName[] {
  return client
    .list(BUDGETS, namespace)
    .filter(concerned)
    .map(({ metadata }) => ({ namespace, name: metadata.name ?? '' }));
}

function budgetsOfPod({ object, previous }: WatchedObject, host: ControllerHost): ObjectName[] {
  return budgetsIn(
    host,
    object.metadata.namespace ?? '',
    (budget) => selects(budget, object) || (previous !== undefined && selects(budget, previous)),
  );
}

function budgetsWhenScaled({ object, previous }: WatchedObject, host: ControllerHost): ObjectName[] {
  const replicas = (each: KubeObject | undefined): number => count(maybe(each, 'spec'), 'replicas');
  return previous !== undefined && replicas(object) === replicas(previous)
    ? []
    : budgetsIn(host, object.metadata.namespace ?? '', () => true);
}

async function reconcile(budget: KubeObject, host: ControllerHost): Promise<number | undefined> {
  const { client, clock } = host;
  const pods = client.list(PODS, budget.metadata.namespace).filter((pod) => selects(budget, pod));
  if (pods.length === 0) client.event(budget, 'Normal', 'NoPods', 'No matching pods found', EVENT_SOURCE);
  const expected = expectation(host, budget, pods);
  if ('error' in expected) {
    client.event(
      budget,
      'Warning',
      'CalculateExpectedPodCountFailed',
      `Failed to calculate the number of expected pods: ${expected.error}`,
      EVENT_SOURCE,
    );
    await write(host, budget, failedStatus(budget, expected.error, clock.now()));
    return undefined;
  }
  const disrupted = disruptedPods(budget, pods, clock.now().getTime());
  const waiting = Object.keys(disrupted);
  const healthy = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && !waiting.includes(pod.metadata.name ?? '') && isReady(pod),
  ).length;
  const allowed = expected.pods > 0 ? Math.max(0, healthy - expected.healthy) : 0;
  const generation = budget.metadata.generation ?? 0;
  await write(host, budget, {
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    ...(waiting.length === 0 ? {} : { disruptedPods: disrupted }),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: expected.healthy,
    expectedPods: expected.pods,
    conditions: conditionsWith(
      budget,
      allowed > 0 ? 'True' : 'False',
      allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      '',
      generation,
      clock.now(),
    ),
  });
  const ends = Object.values(disrupted).map((time) => Date.parse(time) + DELETION_TIMEOUT - clock.now().getTime());
  return ends.length === 0 ? undefined : Math.max(0, Math.min(...ends)) + 1;
}

/** Pods that the eviction API promised to delete and that are still there. */
function disruptedPods(budget: KubeObject, pods: readonly KubeObject[], now: number): Record<string, string> {
  const noted = sub(budget, 'status.disruptedPods');
  const left: Record<string, string> = {};
  for (const {
    metadata: { name = '', deletionTimestamp },
  } of pods) {
    const since = own(noted, name);
    if (deletionTimestamp === undefined && typeof since === 'string' && Date.parse(since) + DELETION_TIMEOUT >= now)
      put(left, name, since);
  }
  return left;
}

type Expectation = { readonly pods: number; readonly healthy: number } | { readonly error: string };

function expectation(host: ControllerHost, budget: KubeObject, pods: readonly KubeObject[]): Expectation {
  const spec = sub(budget, 'spec');
  const [least, most] = [own(spec, 'minAvailable'), own(spec, 'maxUnavailable')];
  if (most === undefined && typeof least === 'number') return { pods: pods.length, healthy: least };
  if (most === undefined && least === undefined) return { pods: 0, healthy: 0 };
  const scale = expectedScale(host, pods);
  if ('error' in scale) return scale;
  if (scale.unmanaged) {
    host.client.event(
      budget,
      'Warning',
      'UnmanagedPods',
      `Pods selected by this PodDisruptionBudget (selector: ${selectorText(budget)}) were found to be ` +
        'unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in ' +
        'undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an ' +
        'integer value.',
      EVENT_SOURCE,
    );
  }
  const healthy =
    most === undefined
      ? scaledValue(least, scale.pods, 'up')
      : Math.max(0, scale.pods - scaledValue(most, scale.pods, 'up'));
  return { pods: scale.pods, healthy };
}

/** A LabelSelector as Go prints its struct in messages. */
function selectorText(budget: KubeObject): string {
  const labels = Object.entries(sub(budget, 'spec.selector.matchLabels')).map(
    ([key, value]) => `${key}: ${value as string},`,
  );
  const expressions = items(maybe(budget, 'spec.selector'), 'matchExpressions').map(
    (each) => `{${text(each, 'key')} ${text(each, 'operator')} [${texts(each, 'values').join(' ')}]}`,
  );
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join(',')}},}`
  );
}

/** The sum of the sizes that the pods' controllers want. */
function expectedScale(
  host: ControllerHost,
  pods: readonly KubeObject[],
): { pods: number; unmanaged: boolean } | { error: string } {
  const sizes = new Map<string, number>();
  let unmanaged = false;
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (!owner) {
      unmanaged = true;
      continue;
    }
    const unscaled = UNSCALED.get(owner.kind);
    if (unscaled !== undefined) return { error: `${unscaled} does not implement the scale subresource` };
    const scaled = scaleOf(host, owner, pod.metadata.namespace ?? '');
    if (!scaled) return { error: `found no controllers for pod "${pod.metadata.name ?? ''}"` };
    sizes.set(scaled.metadata.uid ?? '', count(maybe(scaled, 'spec'), 'replicas'));
  }
  return { pods: [...sizes.values()].reduce((sum, size) => sum + size, 0), unmanaged };
}

/** The controller itself, or the Deployment above a ReplicaSet. */
function scaleOf(host: ControllerHost, owner: OwnerReference, namespace: string): KubeObject | undefined {
  const of = SCALED.get(owner.kind);
  const found = of && host.client.get(of, namespace, owner.name);
  if (!found || found.metadata.uid !== owner.uid) return undefined;
  const above = owner.kind === 'ReplicaSet' ? controllerOf(found) : undefined;
  return above?.kind === 'Deployment' ? scaleOf(host, above, namespace) : found;
}

function failedStatus(budget: KubeObject, error: string, now: Date): JsonObject {
  const status = sub(budget, 'status');
  return {
    ...status,
    disruptionsAllowed: 0,
    conditions: conditionsWith(budget, 'False', 'SyncFailed', error, count(status, 'observedGeneration'), now),
  };
}

function conditionsWith(
  budget: KubeObject,
  status: string,
  reason: string,
  message: string,
  observedGeneration: number,
  now: Date,
): JsonObject[] {
  const conditions = items(maybe(budget, 'status'), 'conditions');
  const current = conditions.find((condition) => text(condition, 'type') === 'DisruptionAllowed');
  const lastTransitionTime =
    current && text(current, 'status') === status ? own(current, 'lastTransitionTime') : timestamp(now);
  const next: JsonObject = {
    type: 'DisruptionAllowed',
    status,
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
    lastTransitionTime,
    reason,
    message,
  };
  return current ? conditions.map((condition) => (condition === current ? next : condition)) : [...conditions, next];
}

async function write({ client }: ControllerHost, budget: KubeObject, status: JsonObject): Promise<void> {
  if (equal(status, budget['status'])) return;
  const { namespace = '', name = '', uid } = budget.metadata;
  await client.edit(
    BUDGETS,
    namespace,
    name,
    (copy) => {
      // An eviction in between has changed what this pass counted: the next pass counts again.
      if (copy.metadata.uid !== uid || copy.metadata.resourceVersion !== budget.metadata.resourceVersion) return false;
      copy['status'] = status;
      return true;
    },
    'status',
  );
}
