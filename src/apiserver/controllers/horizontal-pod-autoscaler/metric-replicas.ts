import {
  matchesLabels,
  parseQuantity,
  quantityOf,
  quantityText,
  quantityValue,
  type KubeObject,
  type LabelSelector,
} from '../../../model/kubernetes/index.js';
import { own, type JsonObject } from '../../../model/json/index.js';
import type { ControllerHost } from '../../controller-runtime/index.js';
import { has, number, sub, text } from '../../resources/index.js';
import { MetricError } from './metric-error.js';
import { countPods, replicaCount, type MeasuredPods } from './replica-count.js';
import { requestsOf, usageOf, type MetricOf } from './resource-usage.js';
import { PODS } from '../../../model/resources/index.js';

/** What one metric asks for. */
export interface MetricProposal {
  readonly replicas: number;
  /** How it is called in conditions and Events. */
  readonly name: string;
  readonly status: JsonObject;
}

/** Why one metric asks for nothing. */
export interface MetricFailure {
  readonly reason: string;
  readonly message: string;
  /** The same, with what it was meant for. */
  readonly what: string;
}

export interface Scaled {
  readonly namespace: string;
  readonly selector: LabelSelector;
  readonly current: number;
}

export function metricReplicas(
  metric: JsonObject,
  scaled: Scaled,
  host: ControllerHost,
): MetricProposal | MetricFailure {
  const type = text(metric, 'type');
  if (type !== 'Resource' && type !== 'ContainerResource') return unservedMetric(metric, scaled.namespace);
  const isContainer = type === 'ContainerResource';
  const source = sub(metric, isContainer ? 'containerResource' : 'resource');
  const [name, container] = [text(source, 'name'), isContainer ? text(source, 'container') : ''];
  try {
    const {
      replicas,
      name: called,
      current,
    } = resourceReplicas(sub(source, 'target'), { ...scaled, resource: name, container }, scaled.current, host);
    return {
      replicas,
      name: isContainer ? called.replace('resource utilization', 'container resource utilization') : called,
      status: isContainer
        ? { type, containerResource: { name, container, current } }
        : { type, resource: { name, current } },
    };
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    const { message } = error;
    return isContainer
      ? {
          reason: 'FailedGetContainerResourceMetric',
          message,
          what: `failed to get ${container} container metric value: ${message}`,
        }
      : { reason: 'FailedGetResourceMetric', message, what: `failed to get ${name} resource metric value: ${message}` };
  }
}

interface ResourceProposal {
  readonly replicas: number;
  readonly name: string;
  readonly current: JsonObject;
}

function resourceReplicas(
  target: JsonObject,
  metric: MetricOf,
  current: number,
  host: ControllerHost,
): ResourceProposal {
  const average = own(target, 'averageValue');
  const utilization = number(target, 'averageUtilization');
  const isValue = typeof average === 'string' || typeof average === 'number';
  try {
    if (isValue) return byValue(quantityValue(parseQuantity(average), -3), metric, current, host);
    if (utilization !== undefined) return byUtilization(utilization, metric, current, host);
  } catch (error) {
    if (error instanceof MetricError)
      throw new MetricError(`failed to get ${metric.resource} ${isValue ? 'usage' : 'utilization'}: ${error.message}`);
    throw error;
  }
  throw new MetricError(
    'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
  );
}

function byValue(wanted: bigint, metric: MetricOf, current: number, host: ControllerHost): ResourceProposal {
  const { counted } = measured(metric, host);
  const average = (usage: ReadonlyMap<string, bigint>): bigint => sum(usage.values()) / BigInt(usage.size);
  const replicas = replicaCount(
    counted,
    { ratio: (usage) => Number(average(usage)) / Number(wanted), whenMissing: () => wanted },
    current,
  );
  return {
    replicas,
    name: `${metric.resource} resource`,
    current: { averageValue: amountText(metric.resource, average(counted.usage)) },
  };
}

function byUtilization(wanted: number, metric: MetricOf, current: number, host: ControllerHost): ResourceProposal {
  const { counted, pods } = measured(metric, host);
  const requests = requestsOf(pods, metric);
  const known = (usage: ReadonlyMap<string, bigint>): string[] => [...usage.keys()].filter((pod) => requests.has(pod));
  const percent = (usage: ReadonlyMap<string, bigint>): number => {
    const asked = sum(known(usage).map((pod) => requests.get(pod) ?? 0n));
    if (asked === 0n) throw new MetricError('no metrics returned matched known pods');
    return Number((total(usage) * 100n) / asked);
  };
  const total = (usage: ReadonlyMap<string, bigint>): bigint => sum(known(usage).map((pod) => usage.get(pod) ?? 0n));
  const averageUtilization = percent(counted.usage);
  const replicas = replicaCount(
    counted,
    {
      ratio: (usage) => percent(usage) / wanted,
      whenMissing: (pod) => ((requests.get(pod) ?? 0n) * BigInt(Math.max(100, wanted))) / 100n,
    },
    current,
  );
  const averageValue = amountText(metric.resource, total(counted.usage) / BigInt(known(counted.usage).length));
  return {
    replicas,
    name: `${metric.resource} resource utilization (percentage of request)`,
    current: { averageUtilization, averageValue },
  };
}

function measured(
  metric: MetricOf,
  { client, clock }: ControllerHost,
): { readonly counted: MeasuredPods; readonly pods: readonly KubeObject[] } {
  const usage = usageOf(client, metric);
  const pods = client
    .list(PODS, metric.namespace)
    .filter(({ metadata }) => matchesLabels(metric.selector, metadata.labels));
  return { counted: countPods({ pods, usage, resource: metric.resource, now: clock.now().getTime() }), pods };
}

function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
}

/** Thousandths as text: memory with binary suffixes. */
function amountText(resource: string, amount: bigint): string {
  return quantityText(quantityOf(amount, resource === 'memory' ? 'binary' : 'decimal', -3));
}

/** Metrics of other kinds: nobody serves them here, and the real controller says so in these words. */
function unservedMetric(metric: JsonObject, namespace: string): MetricFailure {
  const type = text(metric, 'type');
  const source = sub(metric, `${type.charAt(0).toLowerCase()}${type.slice(1)}`);
  const name = text(sub(source, 'metric'), 'name');
  const isAverage = has(sub(source, 'target'), 'averageValue');
  if (type === 'External') {
    const message =
      `unable to get external metric ${namespace}/${name}/nil: unable to fetch metrics from external metrics ` +
      `API: the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`;
    return {
      reason: 'FailedGetExternalMetric',
      message,
      what:
        `failed to get ${name} external metric value: failed to get ` +
        `${isAverage ? `${name} external metric` : `external metric ${name}`}: ${message}`,
    };
  }
  const missing = 'unable to fetch metrics from custom metrics API: no known available metric versions found';
  if (type === 'Pods') {
    const message = `unable to get metric ${name}: ${missing}`;
    return { reason: 'FailedGetPodsMetric', message, what: `failed to get pods metric value: ${message}` };
  }
  const described = sub(source, 'describedObject');
  const message =
    `unable to get metric ${name}: ${text(described, 'kind')} on ${namespace} ` +
    `${text(described, 'name')}/${missing}`;
  return {
    reason: 'FailedGetObjectMetric',
    message,
    what: `failed to get object metric value: ${isAverage ? `failed to get ${name} object metric: ` : ''}${message}`,
  };
}
