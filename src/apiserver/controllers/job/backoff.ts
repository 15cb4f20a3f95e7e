import { own } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { items, maybe, text } from '../../resources/index.js';
import { conditionOf, createdAt, millisecondsAt } from '../common/pod-conditions.js';

const INITIAL_BACKOFF = 10_000;
const MAX_BACKOFF = 600_000;

/** Failures in a row, and when the last one was. */
export interface Failures {
  readonly count: number;
  readonly last: number;
}

const NONE: Failures = { count: 0, last: 0 };

export function finishedAt(pod: KubeObject): number {
  const ends = items(maybe(pod, 'status'), 'containerStatuses').map((status) =>
    millisecondsAt(maybe(status, 'state.terminated'), 'finishedAt'),
  );
  if (ends.length > 0 && ends.every((end) => end !== undefined)) return Math.max(...ends);
  const ready = conditionOf(pod, 'Ready');
  const unready = text(ready, 'status') === 'False' ? millisecondsAt(ready, 'lastTransitionTime') : undefined;
  if (unready !== undefined) return unready;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  return deletionTimestamp === undefined
    ? createdAt(pod)
    : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}

/** The failures in a row after these pods ended; a success starts over. */
export function countFailures(
  before: Failures = NONE,
  succeeded: readonly KubeObject[],
  failed: readonly KubeObject[],
): Failures {
  const ends = failed.map(finishedAt);
  if (succeeded.length === 0)
    return ends.length === 0 ? before : { count: before.count + ends.length, last: Math.max(...ends) };
  const success = Math.max(...succeeded.map(finishedAt));
  const after = ends.filter((end) => end > success);
  return after.length === 0 ? NONE : { count: after.length, last: Math.max(...after) };
}

/** Milliseconds until the next try: 10 s after the first failure, doubling up to 10 minutes. */
export function remaining({ count, last }: Failures, now: Date): number {
  if (count === 0) return 0;
  return Math.max(0, Math.min(INITIAL_BACKOFF * 2 ** (count - 1), MAX_BACKOFF) - (now.getTime() - last));
}

const FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';

function annotated(pod: KubeObject, name: string): number {
  const value = own(pod.metadata.annotations ?? {}, name);
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : 0;
}

/** How often pods of this index failed before this one. */
export function indexFailures(pod: KubeObject): number {
  return annotated(pod, FAILURE_COUNT);
}

export function remainingForIndex(lastFailed: KubeObject | undefined, now: Date): number {
  return lastFailed
    ? remaining(
        { count: indexFailures(lastFailed) + annotated(lastFailed, IGNORED_COUNT) + 1, last: finishedAt(lastFailed) },
        now,
      )
    : 0;
}

/** Annotations of the pod that follows a failed one of the same index. */
export function failureAnnotations(replaced: KubeObject | undefined, counts: boolean): Record<string, string> {
  const failures = replaced ? indexFailures(replaced) + (counts ? 1 : 0) : 0;
  const ignored = replaced ? annotated(replaced, IGNORED_COUNT) + (counts ? 0 : 1) : 0;
  return { [FAILURE_COUNT]: String(failures), ...(ignored > 0 ? { [IGNORED_COUNT]: String(ignored) } : {}) };
}
