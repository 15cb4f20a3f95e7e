import { clone, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, ensure, has, items, maybe, number, sub, text, texts } from '../../resources/index.js';
import { timestamp } from '../../rest/index.js';
import type { ControllerHost } from '../../controller-runtime/index.js';
import { isActive, isReady, phaseOf } from '../common/pod-conditions.js';
import { indexFailures, type Failures } from './backoff.js';
import { matchFailurePolicy } from './failure-policy.js';
import { indexOf, parseIndexes } from './indexes.js';

export const COMPONENT = 'job-controller';
/** Keeps an ended pod until the Job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';

/** One pass over a Job: what is so, and what the pass decides. */
export interface JobState {
  readonly host: ControllerHost;
  /** A copy whose status is ahead of the store until it is saved. */
  readonly job: KubeObject;
  readonly pods: readonly KubeObject[];
  readonly activePods: readonly KubeObject[];
  readonly failures: Failures;
  readonly succeededIndexes: Set<number>;
  readonly failedIndexes: Set<number> | undefined;
  /** The last failed pod of an index that will be tried again. */
  readonly delayed: ReadonlyMap<number, KubeObject>;
  succeeded: number;
  readonly failed: number;
  active: number;
  ready: number;
  terminating: number;
  /** Ask for another pass after that many milliseconds. */
  again: number | undefined;
}

export function specOf(job: KubeObject): JsonObject {
  return sub(job, 'spec');
}

export function statusOf(job: KubeObject): JsonObject {
  return ensure(job, 'status');
}

export function isIndexed(job: KubeObject): boolean {
  return text(specOf(job), 'completionMode') === 'Indexed';
}

export function isSuspended(job: KubeObject): boolean {
  return own(specOf(job), 'suspend') === true;
}

export function completionsOf(job: KubeObject): number | undefined {
  return number(specOf(job), 'completions');
}

export function limitsEachIndex(job: KubeObject): boolean {
  return has(specOf(job), 'backoffLimitPerIndex');
}

/** Terminating pods count as failed at once unless the Job waits for their end. */
export function replacesOnlyFailed(job: KubeObject): boolean {
  return text(specOf(job), 'podReplacementPolicy') === 'Failed' || maybe(job, 'spec.podFailurePolicy') !== undefined;
}

export function hasFailed(job: KubeObject, pod: KubeObject): boolean {
  if (phaseOf(pod) === 'Failed') return true;
  return !replacesOnlyFailed(job) && pod.metadata.deletionTimestamp !== undefined && phaseOf(pod) !== 'Succeeded';
}

export function isTracked(pod: KubeObject): boolean {
  return pod.metadata.finalizers?.includes(TRACKING) ?? false;
}

export function uncounted(job: KubeObject, list: 'succeeded' | 'failed'): string[] {
  return texts(maybe(job, 'status.uncountedTerminatedPods'), list);
}

export function jobConditions(job: KubeObject): JsonObject[] {
  return items(maybe(job, 'status'), 'conditions');
}

export function trueCondition(job: KubeObject, type: string): JsonObject | undefined {
  return jobConditions(job).find(
    (condition) => text(condition, 'type') === type && text(condition, 'status') === 'True',
  );
}

export function isFinished(job: KubeObject): boolean {
  return trueCondition(job, 'Complete') !== undefined || trueCondition(job, 'Failed') !== undefined;
}

export function jobCondition(type: string, reason: string, message: string, now: Date): JsonObject {
  const at = timestamp(now);
  return { type, status: 'True', lastProbeTime: at, lastTransitionTime: at, reason, message };
}

/** Is the pod's index one that the Job asks for? Always so without indexes. */
export function isWanted(job: KubeObject, pod: KubeObject): boolean {
  if (!isIndexed(job)) return true;
  const index = indexOf(pod);
  return index !== undefined && index < (completionsOf(job) ?? 0);
}

/** Ended pods that no status has counted. */
export function newlyEnded(
  job: KubeObject,
  pods: readonly KubeObject[],
): { succeeded: KubeObject[]; failed: KubeObject[] } {
  const fresh = (list: 'succeeded' | 'failed'): KubeObject[] => {
    const known = new Set(uncounted(job, list));
    return pods.filter((pod) => isTracked(pod) && !known.has(pod.metadata.uid ?? '') && isWanted(job, pod));
  };
  return {
    succeeded: fresh('succeeded').filter((pod) => phaseOf(pod) === 'Succeeded'),
    failed: fresh('failed').filter((pod) => hasFailed(job, pod)),
  };
}

export function readState(
  host: ControllerHost,
  original: KubeObject,
  pods: readonly KubeObject[],
  failures: Failures,
): JobState {
  const job = clone(original);
  const status = statusOf(job);
  if (maybe(status, 'uncountedTerminatedPods') === undefined) put(status, 'uncountedTerminatedPods', {});
  if (!has(status, 'startTime') && !isSuspended(job)) put(status, 'startTime', timestamp(host.clock.now()));
  const activePods = pods.filter(isActive);
  const ended = newlyEnded(job, pods);
  const succeededIndexes = indexesWith(job, pods, 'completedIndexes', (pod) => phaseOf(pod) === 'Succeeded');
  const failedIndexes = limitsEachIndex(job)
    ? indexesWith(job, pods, 'failedIndexes', (pod) => isIndexLost(job, pod))
    : undefined;
  const counting = ended.failed.filter((pod) => matchFailurePolicy(job, pod).counts).length;
  return {
    host,
    job,
    pods,
    activePods,
    failures,
    succeededIndexes,
    failedIndexes,
    delayed: failedIndexes
      ? lastFailedPerIndex(job, pods, activePods, succeededIndexes, failedIndexes)
      : new Map<number, KubeObject>(),
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : count(status, 'succeeded') + ended.succeeded.length + uncounted(job, 'succeeded').length,
    failed: count(status, 'failed') + counting + uncounted(job, 'failed').length,
    active: activePods.length,
    ready: activePods.filter(isReady).length,
    terminating: pods.filter(
      (pod) => pod.metadata.deletionTimestamp !== undefined && !['Succeeded', 'Failed'].includes(phaseOf(pod)),
    ).length,
    again: undefined,
  };
}

function indexesWith(
  job: KubeObject,
  pods: readonly KubeObject[],
  field: string,
  counts: (pod: KubeObject) => boolean,
): Set<number> {
  const indexes = parseIndexes(text(statusOf(job), field), completionsOf(job) ?? 0);
  if (isIndexed(job))
    for (const pod of pods) if (isTracked(pod) && isWanted(job, pod) && counts(pod)) indexes.add(indexOf(pod) ?? 0);
  return indexes;
}

function isIndexLost(job: KubeObject, pod: KubeObject): boolean {
  if (!hasFailed(job, pod)) return false;
  const { action, counts } = matchFailurePolicy(job, pod);
  return action === 'FailIndex' || (counts && indexFailures(pod) >= count(specOf(job), 'backoffLimitPerIndex'));
}

function lastFailedPerIndex(
  job: KubeObject,
  pods: readonly KubeObject[],
  active: readonly KubeObject[],
  succeeded: ReadonlySet<number>,
  failed: ReadonlySet<number>,
): Map<number, KubeObject> {
  const busy = new Set(active.map(indexOf));
  const last = new Map<number, KubeObject>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || !isTracked(pod) || !isWanted(job, pod) || !hasFailed(job, pod)) continue;
    if (succeeded.has(index) || failed.has(index) || busy.has(index)) continue;
    const other = last.get(index);
    if (!other || indexFailures(other) <= indexFailures(pod)) last.set(index, pod);
  }
  return last;
}
