import type { KubeObject } from '../../../model/kubernetes/index.js';
import { has, sub, text } from '../../resources/index.js';
import { conditionOf, millisecondsAt, phaseOf } from '../common/pod-conditions.js';
import { MetricError } from './metric-error.js';
import type { PodUsage } from './resource-usage.js';

/** A change of fewer than ten of a hundred is none. */
const TOLERANCE = 0.1;
/** Milliseconds in which the processor time of a new pod says little. */
const STARTING = 300_000;
/** A pod that was unready so soon after its start and still is, was never ready. */
const FIRST_READINESS = 30_000;

export interface PodMetrics {
  readonly pods: readonly KubeObject[];
  readonly usage: ReadonlyMap<string, PodUsage>;
  readonly resource: string;
  readonly now: number;
}

/**
 * What is measured in relation to the target, and what counts for a pod without a measurement when others use little.
 */
export interface UsageTarget {
  ratio(usage: ReadonlyMap<string, bigint>): number;
  whenMissing(pod: string): bigint;
}

/** The usage of pods that count, with which the status is written. */
export interface MeasuredPods {
  readonly usage: ReadonlyMap<string, bigint>;
  readonly ready: number;
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
}

/** Which pods count: not those that end or have not started, nor those whose first readings would mislead. */
export function countPods({ pods, usage, resource, now }: PodMetrics): MeasuredPods {
  if (pods.length === 0) throw new MetricError('no pods returned by selector while calculating replica count');
  const counted = new Map([...usage].map(([name, { value }]) => [name, value]));
  const unready = new Set<string>();
  const missing = new Set<string>();
  let ready = 0;
  for (const pod of pods) {
    const name = pod.metadata.name ?? '';
    const measured = usage.get(name);
    const isIgnored = pod.metadata.deletionTimestamp !== undefined || phaseOf(pod) === 'Failed';
    if (isIgnored) counted.delete(name);
    else if (phaseOf(pod) !== 'Pending' && measured === undefined) missing.add(name);
    else if (
      phaseOf(pod) === 'Pending' ||
      (measured !== undefined && resource === 'cpu' && isStarting(pod, measured, now))
    ) {
      counted.delete(name);
      unready.add(name);
    } else ready++;
  }
  if (counted.size === 0) throw new MetricError('did not receive metrics for targeted pods (pods might be unready)');
  return { usage: counted, ready, unready, missing };
}

function isStarting(pod: KubeObject, { at, window }: PodUsage, now: number): boolean {
  const condition = conditionOf(pod, 'Ready');
  const start = has(sub(pod, 'status'), 'startTime') ? millisecondsAt(sub(pod, 'status'), 'startTime') : undefined;
  if (condition === undefined || start === undefined) return true;
  const isUnready = text(condition, 'status') === 'False';
  const since = millisecondsAt(condition, 'lastTransitionTime') ?? 0;
  return start + STARTING > now ? isUnready || at < since + window : isUnready && start + FIRST_READINESS > since;
}

const isWithin = (ratio: number): boolean => 1 - TOLERANCE <= ratio && ratio <= 1 + TOLERANCE;

/**
 * How many replicas bring the usage to its target; pods of which nothing is known hold back a change and never turn it
 * around.
 */
export function replicaCount(
  { usage, ready, unready, missing }: MeasuredPods,
  target: UsageTarget,
  current: number,
): number {
  const first = target.ratio(usage);
  const growsWithUnready = unready.size > 0 && first > 1;
  if (!growsWithUnready && missing.size === 0) return isWithin(first) ? current : Math.ceil(first * ready);
  const filled = new Map(usage);
  if (first !== 1) for (const pod of missing) filled.set(pod, first < 1 ? target.whenMissing(pod) : 0n);
  if (growsWithUnready) for (const pod of unready) filled.set(pod, 0n);
  const second = target.ratio(filled);
  if (isWithin(second) || (first < 1 && second > 1) || (first > 1 && second < 1)) return current;
  const next = Math.ceil(second * filled.size);
  return (second < 1 && next > current) || (second > 1 && next < current) ? current : next;
}
