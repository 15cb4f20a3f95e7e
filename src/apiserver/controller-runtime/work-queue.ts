import { exponentialBackoff, WorkQueue } from '../../model/queue/index.js';
import { workOn } from '../../net/containment/index.js';
import type { Clock } from '../rest/index.js';
import { FairQueue, type WorkClass } from './fair-queue.js';

export interface WorkQueueOptions {
  readonly workClass?: WorkClass | undefined;
  /** The object that a key stands for, so that one that breaks the process is known; undefined where it is none. */
  readonly objectOf?: (key: string) => string | undefined;
}

/**
 * The queue of a controller of the server: each key has a turn of the event loop of its own, and any number may be
 * under way. Retries come after 50 ms to 30 s; a delay takes the place of an earlier one of the same key.
 */
export function createWorkQueue(
  clock: Clock,
  reconcile: (key: string) => Promise<void>,
  onFailure: (key: string, error: unknown) => void,
  { workClass = 'doing', objectOf }: WorkQueueOptions = {},
): WorkQueue {
  const turns = new FairQueue(workClass);
  const queue = new WorkQueue({
    clock: {
      steady: () => clock.now().getTime(),
      after: (milliseconds, callback) => clock.after(milliseconds, callback),
    },
    reconcile:
      objectOf === undefined
        ? reconcile
        : (key) =>
            workOn(
              () => objectOf(key),
              () => reconcile(key),
            ),
    backoff: exponentialBackoff({ initial: 50, max: 30_000 }),
    delay: 'newest',
    inTurn: (start) => {
      turns.add(start);
    },
    onFailure: (key, error) => {
      if (!queue.isClosed) onFailure(key, error);
    },
  });
  queue.open();
  return queue;
}
