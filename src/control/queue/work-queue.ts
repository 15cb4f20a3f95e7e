import type { Clock } from '../../cluster/index.js';

/** People come before news of the cluster, news before timers. */
export const PRIORITIES = ['people', 'news', 'timer'] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface WorkQueueOptions {
  readonly clock: Pick<Clock, 'steady' | 'after'>;
  readonly random: () => number;
  /** Keys that are worked on at the same time. */
  readonly workers: number;
  /** One pass over a key. What it throws makes the key wait longer before the next pass. */
  readonly reconcile: (key: string) => Promise<void>;
  /** What failed, once for each message in a row. */
  readonly report: (key: string, error: unknown) => void;
}

const INITIAL_BACKOFF = 200;
const MAX_BACKOFF = 60_000;
/** Every so many turns the longest waiting key goes first, whatever its priority: nobody starves. */
const FAIRNESS_INTERVAL = 8;

/**
 * Which keys want a pass. A key is in it once, and worked on by one at a time; what is added while it is worked on
 * brings one more pass. Passes that fail come again later and later.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** By key, in the order they came. */
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

  /** Starts handing out keys; those that were added before are not lost. */
  open(): void {
    this.#isOpen = true;
    this.#next();
  }

  /** Hands out no more keys; resolves when the passes under way are over. */
  async pause(): Promise<void> {
    this.#isOpen = false;
    if (this.#working.size > 0)
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
  }

  async close(): Promise<void> {
    // A pass that ends now may still plan the next one.
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

  /** A pass at that time; the earlier of two counts. */
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
