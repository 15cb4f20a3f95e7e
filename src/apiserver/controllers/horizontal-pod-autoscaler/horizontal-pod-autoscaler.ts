import { equal, own, put, type JsonObject } from '../../../model/json/index.js';
import { splitApiVersion } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import { type ResourceName, type WatchedObject, timestamp } from '../../rest/index.js';
import { count, ensure, items, number, sub, text } from '../../resources/index.js';
import {
  conditionsOf,
  findCondition,
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  type ObjectName,
} from '../../controller-runtime/index.js';
import { COMPONENT, setCondition, writeStatus, type AutoscalerState } from './autoscaler-state.js';
import { desiredSize, maxPeriod } from './desired-size.js';
import { metricReplicas, type MetricFailure, type MetricProposal } from './metric-replicas.js';
import { METRICS_GROUP, POD_METRICS } from './resource-usage.js';
import { replicasOf, scales, selectorOf, targetOf, type Target } from './scale-target.js';
import { ScalingHistory } from './scaling-history.js';
import { HORIZONTAL_POD_AUTOSCALERS } from '../../../model/resources/index.js';

const TARGETS: ReadonlyMap<string, ResourceName> = new Map([
  ['apps/Deployment', { group: 'apps', plural: 'deployments' }],
  ['apps/ReplicaSet', { group: 'apps', plural: 'replicasets' }],
  ['apps/StatefulSet', { group: 'apps', plural: 'statefulsets' }],
  ['/ReplicationController', { group: '', plural: 'replicationcontrollers' }],
]);

/** Milliseconds after which metrics, and targets of other kinds, are read again. */
const REQUEUE_AFTER = 15_000;

/**
 * Keeps targets between minReplicas and maxReplicas, and where PodMetrics are served at the size that metrics ask for.
 * Without them all follows from objects; only scalable kinds of CRDs are polled, because which ones there are is known
 * late. With them each autoscaler is reconciled every 15 seconds, as by the real controller.
 */
export const horizontalPodAutoscaler: Controller = {
  name: COMPONENT,
  start: (host) => autoscaling(new Map()).start(host),
};

function autoscaling(histories: Map<string, ScalingHistory>): Controller {
  return reconciler({
    name: COMPONENT,
    watches: [
      { of: HORIZONTAL_POD_AUTOSCALERS, keys: ownKey },
      ...[...TARGETS.values()].map((of) => ({ of, keys: autoscalersOfTarget })),
      { of: POD_METRICS, keys: autoscalersWithoutMetrics, whenServed: true },
    ],
    async reconcile({ namespace, name }, host) {
      const key = `${namespace}/${name}`;
      const found = host.client.get(HORIZONTAL_POD_AUTOSCALERS, namespace, name);
      if (!found) return void histories.delete(key);
      const history = histories.get(key) ?? new ScalingHistory();
      histories.set(key, history);
      return reconcile({
        host,
        autoscaler: found,
        history,
        conditions: conditionsOf(found).map((condition) => ({ ...condition })),
      });
    },
  });
}

function autoscalersOfTarget({ object }: WatchedObject, { client }: ControllerHost): ObjectName[] {
  const { namespace = '', name } = object.metadata;
  return client
    .list(HORIZONTAL_POD_AUTOSCALERS, namespace)
    .filter(
      (each) =>
        text(sub(each, 'spec.scaleTargetRef'), 'name') === name &&
        text(sub(each, 'spec.scaleTargetRef'), 'kind') === object.kind,
    )
    .map(({ metadata }) => ({ namespace, name: metadata.name ?? '' }));
}

/** The first metrics of a pod trigger autoscalers that wait for them; others are reconciled when they are due. */
function autoscalersWithoutMetrics({ object }: WatchedObject, { client }: ControllerHost): ObjectName[] {
  const { namespace = '' } = object.metadata;
  return client
    .list(HORIZONTAL_POD_AUTOSCALERS, namespace)
    .filter(
      (each) =>
        text(findCondition(conditionsOf(each), 'ScalingActive'), 'status') !== 'True' && scales(client, each, object),
    )
    .map(({ metadata }) => ({ namespace, name: metadata.name ?? '' }));
}

async function reconcile(state: AutoscalerState): Promise<number | undefined> {
  const {
    host: { client },
    autoscaler,
  } = state;
  const target = targetOf(client, autoscaler);
  const hasMetrics = client.served(METRICS_GROUP, 'PodMetrics') !== undefined;
  if ('error' in target) await recordTargetError(state, target.error);
  else {
    const rest = hasMetrics ? restAfterRescale(state, replicasOf(target)) : 0;
    if (rest > 0) return rest;
    await keepInRange(state, target);
  }
  const reference = sub(autoscaler, 'spec.scaleTargetRef');
  const isWatched = TARGETS.has(`${splitApiVersion(text(reference, 'apiVersion')).group}/${text(reference, 'kind')}`);
  return hasMetrics || !isWatched ? REQUEUE_AFTER : undefined;
}

/** Milliseconds until the next reconcile after a rescale that still holds: until then the status reports it. */
function restAfterRescale({ autoscaler, history: { rescaled }, host }: AutoscalerState, current: number): number {
  if (rescaled?.size !== current || !equal(rescaled.spec, sub(autoscaler, 'spec'))) return 0;
  return Math.max(0, rescaled.at + REQUEUE_AFTER - host.clock.now().getTime());
}

async function keepInRange(state: AutoscalerState, target: Target): Promise<void> {
  const { autoscaler, history, host } = state;
  setCondition(
    state,
    'AbleToScale',
    'True',
    'SucceededGetScale',
    "the HPA controller was able to get the target's current scale",
  );
  const current = replicasOf(target);
  history.begin(current, host.clock.now().getTime());
  const least = number(sub(autoscaler, 'spec'), 'minReplicas') ?? 1;
  const most = count(sub(autoscaler, 'spec'), 'maxReplicas');
  if (current === 0 && least !== 0) {
    setCondition(
      state,
      'ScalingActive',
      'False',
      'ScalingDisabled',
      'scaling is disabled since the replica count of the target is zero',
    );
    await writeStatus(state, { currentReplicas: current, desiredReplicas: current });
  } else if (current > most)
    await rescale(state, target, {
      size: most,
      reason: 'Current number of replicas above Spec.MaxReplicas',
      currentMetrics: null,
    });
  else if (current < least)
    await rescale(state, target, {
      size: least,
      reason: 'Current number of replicas below Spec.MinReplicas',
      currentMetrics: null,
    });
  else await followMetrics(state, target, current);
}

async function recordTargetError(state: AutoscalerState, message: string): Promise<void> {
  const changed = setCondition(
    state,
    'AbleToScale',
    'False',
    'FailedGetScale',
    `the HPA controller was unable to get the target's current scale: ${message}`,
  );
  if (changed) state.host.client.event(state.autoscaler, 'Warning', 'FailedGetScale', message, COMPONENT);
  const status = sub(state.autoscaler, 'status');
  await writeStatus(state, {
    currentReplicas: count(status, 'currentReplicas'),
    desiredReplicas: count(status, 'desiredReplicas'),
    currentMetrics: own(status, 'currentMetrics') ?? null,
  });
}

interface Rescale {
  readonly size: number;
  readonly reason: string;
  readonly currentMetrics: JsonObject[] | null;
}

async function rescale(
  state: AutoscalerState,
  target: Target,
  { size, reason, currentMetrics }: Rescale,
): Promise<void> {
  const {
    host: { client, clock },
    autoscaler,
    history,
  } = state;
  const { of, object, place, field } = target;
  const current = replicasOf(target);
  const spec = sub(autoscaler, 'spec');
  try {
    await client.edit(of, object.metadata.namespace ?? '', object.metadata.name ?? '', (copy) =>
      put(place.split('.').reduce(ensure, copy), field, size),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    client.event(
      autoscaler,
      'Warning',
      'FailedRescale',
      `New size: ${size}; reason: ${reason}; error: ${error.message}`,
      COMPONENT,
    );
    setCondition(
      state,
      'AbleToScale',
      'False',
      'FailedUpdateScale',
      `the HPA controller was unable to update the target scale: ${error.message}`,
    );
    await writeStatus(state, {
      currentReplicas: current,
      desiredReplicas: count(sub(autoscaler, 'status'), 'desiredReplicas'),
      currentMetrics,
    });
    throw error;
  }
  const now = clock.now();
  history.rescaled = { size, at: now.getTime(), spec };
  history.scaled(current, size, now.getTime(), now.getTime() - maxPeriod(spec));
  setCondition(
    state,
    'AbleToScale',
    'True',
    'SucceededRescale',
    `the HPA controller was able to update the target scale to ${size}`,
  );
  client.event(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${size}; reason: ${reason}`, COMPONENT);
  await writeStatus(state, {
    currentReplicas: current,
    desiredReplicas: size,
    lastScaleTime: timestamp(now),
    currentMetrics,
  });
}

async function followMetrics(state: AutoscalerState, target: Target, current: number): Promise<void> {
  const { host, autoscaler } = state;
  const spec = sub(autoscaler, 'spec');
  const namespace = autoscaler.metadata.namespace ?? '';
  const selector = selectorOf(host.client, target, namespace);
  if ('error' in selector) {
    setCondition(state, 'ScalingActive', 'False', selector.reason, selector.message);
    recordEvents(state, [
      [selector.event, selector.error],
      ['FailedComputeMetricsReplicas', selector.error],
    ]);
    return giveUp(state, current, null);
  }
  const answers = items(spec, 'metrics').map((metric) =>
    metricReplicas(metric, { namespace, selector, current }, host),
  );
  const failures = answers.filter((answer) => 'reason' in answer);
  const best = highest(answers);
  const currentMetrics = answers.map((answer) => ('status' in answer ? answer.status : { type: '' }));
  const isUseless = best === undefined || (failures.length > 0 && best.replicas < current);
  recordMetricFailures(state, failures, answers.length, isUseless);
  if (isUseless) return giveUp(state, current, currentMetrics);
  setCondition(
    state,
    'ScalingActive',
    'True',
    'ValidMetricFound',
    `the HPA was able to successfully calculate a replica count from ${best.name}`,
  );
  const { size, able, isLimited, limit } = desiredSize(
    { spec, current, desired: best.replicas, now: host.clock.now().getTime() },
    state.history,
  );
  setCondition(state, 'AbleToScale', 'True', able.reason, able.message);
  setCondition(state, 'ScalingLimited', isLimited ? 'True' : 'False', limit.reason, limit.message);
  if (size !== current) return rescale(state, target, { size, reason: rescaleReason(best, current), currentMetrics });
  await writeStatus(state, { currentReplicas: current, desiredReplicas: current, currentMetrics });
}

/** The first of those that ask for the most replicas. */
function highest(answers: readonly (MetricProposal | MetricFailure)[]): MetricProposal | undefined {
  return answers
    .filter((answer) => 'status' in answer)
    .reduce<MetricProposal | undefined>(
      (best, each) => (best === undefined || best.replicas === 0 || each.replicas > best.replicas ? each : best),
      undefined,
    );
}

function rescaleReason({ replicas, name }: MetricProposal, current: number): string {
  if (replicas > current) return `${name} above target`;
  return replicas < current ? 'All metrics below target' : '';
}

function recordMetricFailures(
  state: AutoscalerState,
  failures: readonly MetricFailure[],
  all: number,
  isUseless: boolean,
): void {
  const [first] = failures;
  if (first && isUseless)
    setCondition(
      state,
      'ScalingActive',
      'False',
      first.reason,
      `the HPA was unable to compute the replica count: ${first.message}`,
    );
  const events: [string, string][] = failures.map(({ reason, message }) => [reason, message]);
  if (first && isUseless)
    events.push([
      'FailedComputeMetricsReplicas',
      `invalid metrics (${failures.length} invalid out of ${all}), first error is: ${first.what}`,
    ]);
  recordEvents(state, events);
}

/** Reports failures once, not at every reconcile. */
function recordEvents(
  { host: { client }, autoscaler, history }: AutoscalerState,
  warnings: readonly (readonly [string, string])[],
): void {
  const text = JSON.stringify(warnings);
  const isNew = text !== history.recorded;
  history.recorded = text;
  if (isNew) for (const [reason, message] of warnings) client.event(autoscaler, 'Warning', reason, message, COMPONENT);
}

/** The size stays as it is while metrics do not say what it shall be. */
async function giveUp(state: AutoscalerState, current: number, currentMetrics: JsonObject[] | null): Promise<void> {
  await writeStatus(state, {
    currentReplicas: current,
    desiredReplicas: count(sub(state.autoscaler, 'status'), 'desiredReplicas'),
    currentMetrics,
  });
}
