import type { Clock } from '../../cluster/index.js';

/** Changes by users come before events of the cluster, events before timers. */
export const PRIORITIES = ['user', 'event', 'timer'] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface WorkQueueOptions {
  readonly clock: Pick<Clock, 'steady' | 'after'>;
  readonly random: () => number;
  /** Keys that are reconciled at the same time. */
  readonly workers: number;
  /** Reconciles one key. If it throws, the key is retried with backoff. */
  readonly reconcile: (key: string) => Promise<void>;
  /** Called for a failure, once for each message in a row. */
  readonly report: (key: string, error: unknown) => void;
}

const INITIAL_BACKOFF = 200;
const MAX_BACKOFF = 60_000;
/** Each time this many keys were taken, the one that waits longest goes first, so that none starves. */
const FAIRNESS_INTERVAL = 8;

/**
 * Keys to reconcile. A key is queued once and reconciled by one worker at a time; if it is added meanwhile, it is
 * reconciled once more. Failures are retried with exponential backoff.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** By key, in the order they were added. */
  readonly #waiting = new Map<string, Priority>();
  readonly #later = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  readonly #working = new Set<string>();
  readonly #again = new Map<string, Priority>();
  readonly #failures = new Map<string, { readonly count: number; readonly message: string }>();
  #turns = 0;
  #isOpen = false;
  #idle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size + this.#working.size;
  }

  /** Starts reconciling, also keys that were added before. */
  open(): void {
    this.#isOpen = true;
    this.#next();
  }

  /** Starts no more reconciles; resolves when those under way have ended. */
  async pause(): Promise<void> {
    this.#isOpen = false;
    if (this.#working.size > 0)
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
  }

  async close(): Promise<void> {
    // A reconcile that ends now may still schedule the next one.
    await this.pause();
    for (const { cancel } of this.#later.values()) cancel();
    this.#later.clear();
    this.#waiting.clear();
    this.#again.clear();
  }

  add(key: string, priority: Priority): void {
    if (this.#working.has(key)) {
      this.#again.set(key, higherPriority(this.#again.get(key), priority));
      return;
    }
    const known = this.#waiting.get(key);
    this.#waiting.set(key, higherPriority(known, priority));
    this.#next();
  }

  /** Adds the key after a delay; of two delays the earlier one counts. */
  addAfter(key: string, milliseconds: number, priority: Priority): void {
    const { clock } = this.#options;
    const at = clock.steady() + milliseconds;
    const planned = this.#later.get(key);
    if (planned !== undefined && planned.at <= at) return;
    planned?.cancel();
    const cancel = clock.after(Math.max(0, milliseconds), () => {
      this.#later.delete(key);
      this.add(key, priority);
    });
    this.#later.set(key, { at, cancel });
  }

  forget(key: string): void {
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
    this.#waiting.delete(key);
    this.#again.delete(key);
    this.#failures.delete(key);
  }

  #next(): void {
    while (this.#isOpen && this.#working.size < this.#options.workers) {
      const key = this.#choose();
      if (key === undefined) return;
      this.#waiting.delete(key);
      this.#working.add(key);
      void this.#reconcile(key);
    }
  }

  #choose(): string | undefined {
    if (++this.#turns % FAIRNESS_INTERVAL === 0) return this.#waiting.keys().next().value;
    for (const priority of PRIORITIES) {
      for (const [key, wanted] of this.#waiting) if (wanted === priority) return key;
    }
    return undefined;
  }

  async #reconcile(key: string): Promise<void> {
    const { reconcile, random, report } = this.#options;
    try {
      await reconcile(key);
      this.#failures.delete(key);
    } catch (error) {
      const before = this.#failures.get(key);
      const message = error instanceof Error ? error.message : String(error);
      const count = (before?.count ?? 0) + 1;
      this.#failures.set(key, { count, message });
      const bound = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** Math.min(count - 1, 20));
      if (before?.message !== message) report(key, error);
      this.addAfter(key, bound / 2 + random() * (bound / 2), 'timer');
    }
    this.#working.delete(key);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined) this.add(key, again);
    this.#next();
    if (this.#working.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function higherPriority(a: Priority | undefined, b: Priority): Priority {
  return a !== undefined && PRIORITIES.indexOf(a) <= PRIORITIES.indexOf(b) ? a : b;
}
