import type { Clock } from '../../cluster/index.js';
import { workOn } from '../../net/containment/index.js';
import { exponentialBackoff, WorkQueue } from '../../model/queue/index.js';

interface WorkQueueOptions {
  readonly clock: Pick<Clock, 'steady' | 'after'>;
  readonly random: () => number;
  /** Keys that are reconciled at the same time. */
  readonly workers: number;
  /** Reconciles one key. If it throws, the key is retried with backoff. */
  readonly reconcile: (key: string) => Promise<void>;
  /** How containment names the object of a key; undefined where there is none. */
  readonly nameOf?: (key: string) => string | undefined;
  /** Called for a failure, once for each message in a row. */
  readonly report: (key: string, error: unknown) => void;
}

/** The queue of a controller: a few workers, priorities, and retries after 0.2 s to a minute with jitter. */
export function createWorkQueue({ clock, random, workers, reconcile, nameOf, report }: WorkQueueOptions): WorkQueue {
  return new WorkQueue({
    clock,
    workers,
    reconcile:
      nameOf === undefined
        ? reconcile
        : (key) =>
            workOn(
              () => nameOf(key),
              () => reconcile(key),
            ),
    backoff: exponentialBackoff({ initial: 200, max: 60_000, random }),
    onFailure: (key, error, isRepeated) => {
      if (!isRepeated) report(key, error);
    },
  });
}
