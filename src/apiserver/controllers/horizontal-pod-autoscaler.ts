import { equal, own, put, splitApiVersion, type JsonObject, type KubeObject } from '../../model/index.js';
import { ApiError } from '../api-error.js';
import type { ResourceName, WatchedObject } from '../local-client.js';
import { count, ensure, has, items, number, sub, text } from '../resources/kinds/fields.js';
import { timestamp } from '../rest/context.js';
import { conditionsOf, findCondition } from './conditions.js';
import { itself, reconciler, type Controller, type ControllerHost, type ObjectName } from './controller.js';

const AUTOSCALERS = { group: 'autoscaling', plural: 'horizontalpodautoscalers' } as const;
const COMPONENT = 'horizontal-pod-autoscaler';

const TARGETS: ReadonlyMap<string, ResourceName> = new Map([
  ['apps/Deployment', { group: 'apps', plural: 'deployments' }], ['apps/ReplicaSet', { group: 'apps', plural: 'replicasets' }],
  ['apps/StatefulSet', { group: 'apps', plural: 'statefulsets' }], ['/ReplicationController', { group: '', plural: 'replicationcontrollers' }],
]);

/** Milliseconds after which targets of other kinds are looked at again. */
const LOOK_AGAIN = 15_000;

/**
 * Autoscaling in a cluster that serves no metrics: targets are kept between minReplicas and maxReplicas, and the
 * conditions say that metrics are missing. All of it follows from objects; only kinds of others that can be scaled are
 * looked at again and again, because which ones there are is known late.
 */
export const horizontalPodAutoscaler: Controller = reconciler({
  name: COMPONENT,
  watches: [{ of: AUTOSCALERS, keys: itself }, ...[...TARGETS.values()].map((of) => ({ of, keys: autoscalersOfTarget }))],
  async reconcile({ namespace, name }, host) {
    const found = host.client.get(AUTOSCALERS, namespace, name);
    return found && reconcile(found, host);
  },
});

function autoscalersOfTarget({ object }: WatchedObject, { client }: ControllerHost): ObjectName[] {
  const { namespace = '', name } = object.metadata;
  return client.list(AUTOSCALERS, namespace)
    .filter((each) => text(sub(each, 'spec.scaleTargetRef'), 'name') === name && text(sub(each, 'spec.scaleTargetRef'), 'kind') === object.kind)
    .map(({ metadata }) => ({ namespace, name: metadata.name ?? '' }));
}

interface Pass {
  readonly host: ControllerHost;
  readonly autoscaler: KubeObject;
  readonly conditions: JsonObject[];
}

/** What is scaled, and where its number of replicas stands. */
interface Target {
  readonly of: ResourceName;
  readonly object: KubeObject;
  readonly place: string;
  readonly field: string;
}

async function reconcile(autoscaler: KubeObject, host: ControllerHost): Promise<number | void> {
  const pass: Pass = { host, autoscaler, conditions: conditionsOf(autoscaler).map((condition) => ({ ...condition })) };
  const reference = sub(autoscaler, 'spec.scaleTargetRef');
  const { group } = splitApiVersion(text(reference, 'apiVersion'));
  const kind = text(reference, 'kind');
  const served = host.client.served(group, kind);
  const object = served && host.client.get(served, autoscaler.metadata.namespace ?? '', text(reference, 'name'));
  if (!served || !object) await lost(pass, served ? `${group === '' ? served.plural : `${served.plural}.${group}`} "${text(reference, 'name')}" not found` : `no matches for kind "${kind}" in group "${group}"`);
  else if (served.replicasPath === undefined) await lost(pass, 'the server could not find the requested resource');
  else {
    const names = served.replicasPath.split('.').slice(1);
    await keepInRange(pass, { of: served, object, place: names.slice(0, -1).join('.'), field: names.at(-1) ?? '' });
  }
  return TARGETS.has(`${group}/${kind}`) ? undefined : LOOK_AGAIN;
}

async function keepInRange(pass: Pass, target: Target): Promise<void> {
  const { autoscaler } = pass;
  setCondition(pass, 'AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale");
  const current = count(sub(target.object, target.place), target.field);
  const least = number(sub(autoscaler, 'spec'), 'minReplicas') ?? 1;
  const most = count(sub(autoscaler, 'spec'), 'maxReplicas');
  if (current === 0 && least !== 0) {
    setCondition(pass, 'ScalingActive', 'False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero');
    await write(pass, { currentReplicas: current, desiredReplicas: current });
  } else if (current > most) await rescale(pass, target, most, 'Current number of replicas above Spec.MaxReplicas');
  else if (current < least) await rescale(pass, target, least, 'Current number of replicas below Spec.MinReplicas');
  else await withoutMetrics(pass, current);
}

async function lost(pass: Pass, problem: string): Promise<void> {
  const changed = setCondition(pass, 'AbleToScale', 'False', 'FailedGetScale', `the HPA controller was unable to get the target's current scale: ${problem}`);
  if (changed) await pass.host.client.event(pass.autoscaler, 'Warning', 'FailedGetScale', problem, COMPONENT);
  const status = sub(pass.autoscaler, 'status');
  await write(pass, { currentReplicas: count(status, 'currentReplicas'), desiredReplicas: count(status, 'desiredReplicas'), currentMetrics: own(status, 'currentMetrics') ?? null });
}

async function rescale(pass: Pass, { of, object, place, field }: Target, size: number, reason: string): Promise<void> {
  const { host: { client, clock }, autoscaler } = pass;
  const current = count(sub(object, place), field);
  try {
    await client.edit(of, object.metadata.namespace ?? '', object.metadata.name ?? '', (copy) => put(place.split('.').reduce(ensure, copy), field, size));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await client.event(autoscaler, 'Warning', 'FailedRescale', `New size: ${size}; reason: ${reason}; error: ${error.message}`, COMPONENT);
    setCondition(pass, 'AbleToScale', 'False', 'FailedUpdateScale', `the HPA controller was unable to update the target scale: ${error.message}`);
    await write(pass, { currentReplicas: current, desiredReplicas: count(sub(autoscaler, 'status'), 'desiredReplicas') });
    throw error;
  }
  setCondition(pass, 'AbleToScale', 'True', 'SucceededRescale', `the HPA controller was able to update the target scale to ${size}`);
  await client.event(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${size}; reason: ${reason}`, COMPONENT);
  await write(pass, { currentReplicas: current, desiredReplicas: size, lastScaleTime: timestamp(clock.now()) });
}

/** What the real controller says of each kind of metric when nobody serves it. */
function metricFailure(metric: JsonObject, namespace: string): { reason: string; message: string; what: string } {
  const type = text(metric, 'type');
  const field = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const source = sub(metric, field);
  const name = type.endsWith('Resource') ? text(source, 'name') : text(sub(source, 'metric'), 'name');
  if (type === 'Resource' || type === 'ContainerResource') {
    const kind = has(sub(source, 'target'), 'averageValue') ? 'usage' : 'utilization';
    const message = `failed to get ${name} ${kind}: unable to get metrics for resource ${name}: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)`;
    return type === 'Resource'
      ? { reason: 'FailedGetResourceMetric', message, what: `failed to get ${name} resource metric value: ${message}` }
      : { reason: 'FailedGetContainerResourceMetric', message, what: `failed to get ${name} container metric value: ${message}` };
  }
  if (type === 'External') {
    const message = `unable to get external metric ${namespace}/${name}/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`;
    return { reason: 'FailedGetExternalMetric', message, what: `failed to get external metric ${name}: ${message}` };
  }
  const missing = 'unable to fetch metrics from custom metrics API: no known available metric versions found';
  if (type === 'Pods') {
    const message = `unable to get metric ${name}: ${missing}`;
    return { reason: 'FailedGetPodsMetric', message, what: `failed to get pods metric value: ${message}` };
  }
  const described = sub(source, 'describedObject');
  const message = `unable to get metric ${name}: ${text(described, 'kind')} on ${namespace} ${text(described, 'name')}/${missing}`;
  return { reason: 'FailedGetObjectMetric', message, what: `failed to get object metric value: ${message}` };
}

async function withoutMetrics(pass: Pass, current: number): Promise<void> {
  const { host: { client }, autoscaler } = pass;
  const metrics = items(sub(autoscaler, 'spec'), 'metrics');
  const [first] = metrics;
  if (first) {
    const { reason, message, what } = metricFailure(first, autoscaler.metadata.namespace ?? '');
    const changed = setCondition(pass, 'ScalingActive', 'False', reason, `the HPA was unable to compute the replica count: ${message}`);
    if (changed) {
      await client.event(autoscaler, 'Warning', reason, message, COMPONENT);
      await client.event(autoscaler, 'Warning', 'FailedComputeMetricsReplicas', `invalid metrics (${metrics.length} invalid out of ${metrics.length}), first error is: ${what}`, COMPONENT);
    }
  }
  await write(pass, { currentReplicas: current, desiredReplicas: count(sub(autoscaler, 'status'), 'desiredReplicas'), currentMetrics: metrics.map(() => ({ type: '' })) });
}

/** True where the condition says something new. */
function setCondition({ conditions, host }: Pass, type: string, status: string, reason: string, message: string): boolean {
  const current = findCondition(conditions, type);
  const lastTransitionTime = current && text(current, 'status') === status ? own(current, 'lastTransitionTime') : timestamp(host.clock.now());
  const next: JsonObject = { type, status, lastTransitionTime, reason, message };
  if (current && equal(current, next)) return false;
  if (current) conditions.splice(conditions.indexOf(current), 1, next);
  else conditions.push(next);
  return true;
}

async function write({ host: { client }, autoscaler, conditions }: Pass, parts: JsonObject): Promise<void> {
  const { currentReplicas, ...rest } = parts;
  const lastScaleTime = own(sub(autoscaler, 'status'), 'lastScaleTime');
  const status: JsonObject = {
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }), ...(currentReplicas === 0 ? {} : { currentReplicas }), currentMetrics: null, ...rest, conditions,
  };
  if (equal(status, autoscaler['status'])) return;
  const { namespace = '', name = '', uid } = autoscaler.metadata;
  await client.edit(AUTOSCALERS, namespace, name, (copy) => {
    if (copy.metadata.uid !== uid) return false;
    copy['status'] = status;
    return true;
  }, 'status');
}
