import type { Clock } from '../../cluster/index.js';
import { workOn } from '../../net/containment/index.js';
import { exponentialBackoff, type Lane, WorkQueue } from '../../model/queue/index.js';

interface WorkQueueOptions {
  readonly clock: Pick<Clock, 'steady' | 'after'>;
  readonly random: () => number;
  /** Keys that are reconciled at the same time. */
  readonly workers: number;
  /** Whose key it is and what its reconcile waits for; all the same by default. */
  readonly laneOf?: (key: string) => Lane;
  /** Reconciles one key. If it throws, the key is retried with backoff. */
  readonly reconcile: (key: string) => Promise<void>;
  /** How containment names the object of a key; undefined where there is none. */
  readonly nameOf?: (key: string) => string | undefined;
  /** Called for a failure, once for each message in a row. */
  readonly report: (key: string, error: unknown) => void;
}

/** So many times the usual workers, where some wait for servers that hang and others are owed their share. */
const OWED = 4;

/** The queue of a controller: a few workers, priorities, and retries after 0.2 s to a minute with jitter. */
export function createWorkQueue({
  clock,
  random,
  workers,
  laneOf,
  reconcile,
  nameOf,
  report,
}: WorkQueueOptions): WorkQueue {
  return new WorkQueue({
    clock,
    workers,
    ...(laneOf === undefined ? {} : { laneOf, maxWorkers: workers * OWED }),
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

/** Protocol and host of an address. */
export function serverOfUrl(url: string): string {
  return /^[a-z0-9+.-]+:\/\/[^/]*|^[^/:]*:/i.exec(url)?.[0].toLowerCase() ?? url;
}
