import { Fault } from '../../../model/faults/index.js';
import {
  matchesLabels,
  parseQuantity,
  quantityValue,
  type KubeObject,
  type LabelSelector,
} from '../../../model/kubernetes/index.js';
import { own, type Json, type JsonObject } from '../../../model/json/index.js';
import { parseDuration } from '../../../model/formats/index.js';
import type { LocalClient, ResourceName } from '../../rest/index.js';
import { podRequests } from '../../scheduler/index.js';
import { items, maybe, sub, text } from '../../resources/index.js';
import { MetricError } from './metric-error.js';

/** What one pod uses of a resource, in thousandths. */
export interface PodUsage {
  readonly value: bigint;
  /** When it was measured and over how long, in milliseconds. */
  readonly at: number;
  readonly window: number;
}

export const METRICS_GROUP = 'metrics.k8s.io';
export const POD_METRICS: ResourceName = { group: METRICS_GROUP, plural: 'pods' };

/** A resource of pods, or of one of their containers. */
export interface MetricOf {
  readonly namespace: string;
  readonly selector: LabelSelector;
  readonly resource: string;
  /** Empty for whole pods. */
  readonly container: string;
}

/** What each pod uses, by its name; pods for which nothing complete is known are left out. */
export function usageOf(
  client: LocalClient,
  { namespace, selector, resource, container }: MetricOf,
): Map<string, PodUsage> {
  if (client.served(METRICS_GROUP, 'PodMetrics')?.plural !== POD_METRICS.plural)
    throw new MetricError(
      `unable to get metrics for resource ${resource}: unable to fetch metrics from resource metrics API: ` +
        'the server could not find the requested resource (get pods.metrics.k8s.io)',
    );
  const found = client.list(POD_METRICS, namespace).filter(({ metadata }) => matchesLabels(selector, metadata.labels));
  if (found.length === 0)
    throw new MetricError(
      `unable to get metrics for resource ${resource}: no metrics returned from resource metrics API`,
    );
  const usage = new Map<string, PodUsage>();
  for (const metrics of found) {
    const measured = items(metrics, 'containers')
      .filter((each) => container === '' || text(each, 'name') === container)
      .map((each) => thousandths(own(sub(each, 'usage'), resource)));
    if (measured.length === 0 || measured.includes(undefined)) continue;
    const value = measured.reduce<bigint>((total, each) => total + (each ?? 0n), 0n);
    usage.set(metrics.metadata.name ?? '', {
      value,
      at: Date.parse(text(metrics, 'timestamp')) || 0,
      window: milliseconds(text(metrics, 'window')),
    });
  }
  return usage;
}

/** A quantity in thousandths; undefined where there is none that can be read. */
function thousandths(value: Json | undefined): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  return readable(() => quantityValue(parseQuantity(value), -3));
}

function milliseconds(duration: string): number {
  return Number(readable(() => parseDuration(duration)) ?? 0n) / 1e6;
}

function readable(read: () => bigint): bigint | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** What each pod asks for of the resource, in thousandths. */
export function requestsOf(pods: readonly KubeObject[], { resource, container }: MetricOf): Map<string, bigint> {
  return new Map(
    pods.map((pod) => [
      pod.metadata.name ?? '',
      container === '' && hasPodLevelRequests(pod)
        ? podLevelRequest(pod, resource)
        : containerRequests(pod, container, resource),
    ]),
  );
}

function hasPodLevelRequests(pod: KubeObject): boolean {
  return Object.keys(maybe(pod, 'spec.resources.requests') ?? {}).some(
    (name) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-'),
  );
}

function podLevelRequest(pod: KubeObject, resource: string): bigint {
  const amount = podRequests(pod).get(resource);
  if (amount === undefined)
    throw new MetricError(`missing pod-level request for ${resource} in Pod ${pod.metadata.name ?? ''}`);
  return resource === 'cpu' ? amount : amount * 1000n;
}

function containerRequests(pod: KubeObject, container: string, resource: string): bigint {
  const isSidecar = (each: JsonObject): boolean => text(each, 'restartPolicy') === 'Always';
  const all = [
    ...items(sub(pod, 'spec'), 'containers'),
    ...items(sub(pod, 'spec'), 'initContainers').filter(isSidecar),
  ];
  return all
    .filter((each) => container === '' || text(each, 'name') === container)
    .reduce((total, each) => {
      const request = thousandths(own(sub(each, 'resources.requests'), resource));
      if (request === undefined)
        throw new MetricError(
          `missing request for ${resource} in container ${text(each, 'name')} of Pod ${pod.metadata.name ?? ''}`,
        );
      return total + request;
    }, 0n);
}
