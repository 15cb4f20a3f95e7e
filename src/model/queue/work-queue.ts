import type { Lane } from './fair-shares.js';
import { ReadyLanes } from './ready-lanes.js';
import { higherPriority, type Priority } from './ready-keys.js';

interface WorkQueueOptions {
  readonly clock: {
    /** Milliseconds that only grow. */
    steady(): number;
    /** Calls back after `milliseconds`; the returned function cancels. */
    after(milliseconds: number, callback: () => void): () => void;
  };
  /** Reconciles one key. If it throws, the key is retried after a backoff. */
  readonly reconcile: (key: string) => Promise<void>;
  /** `isRepeated` if the attempt before failed with the same message. */
  readonly onFailure: (key: string, error: unknown, isRepeated: boolean) => void;
  /** Milliseconds before the next attempt, by the number of failures in a row. */
  readonly backoff: (failures: number) => number;
  /** Keys that are reconciled at the same time; any number by default. */
  readonly workers?: number;
  /** Whose key it is and what its reconcile waits for; all the same by default. */
  readonly laneOf?: (key: string) => Lane;
  /** Keys at the same time where some lanes hold all workers and others are owed their share; `workers` by default. */
  readonly maxWorkers?: number;
  /** Calls `start` when the queue has its turn. By default a key starts as soon as a worker is free. */
  readonly inTurn?: (start: () => void) => void;
  /** Which of two delays of a key counts: the one that ends first, as in client-go (the default), or the newer one. */
  readonly delay?: 'earliest' | 'newest';
}

const ONE_LANE: Lane = { owner: '', host: '' };

/**
 * Keys to reconcile. A key is queued once and reconciled by one worker at a time; if it is added meanwhile, it is
 * reconciled once more. Failures are retried with backoff.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #ready: ReadyLanes;
  readonly #processing = new Set<string>();
  /** Keys that were added while they were reconciled. */
  readonly #again = new Map<string, Priority>();
  readonly #delayed = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  readonly #failures = new Map<string, { readonly count: number; readonly message: string }>();
  /** Starts that were asked for and have not had their turn. */
  #starting = 0;
  #isOpen = false;
  #isClosed = false;
  #idle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    const { workers = Infinity, maxWorkers = workers, laneOf = () => ONE_LANE } = options;
    this.#ready = new ReadyLanes({ places: workers, max: maxWorkers }, laneOf);
  }

  get size(): number {
    return this.#ready.size + this.#processing.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts reconciling, also keys that were added before. */
  open(): void {
    this.#isOpen = !this.#isClosed;
    this.#startReady();
  }

  /** Starts no more reconciles; resolves when those under way have ended. */
  async pause(): Promise<void> {
    this.#isOpen = false;
    if (this.#processing.size > 0)
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
  }

  /** As `pause`, and for good: nothing that is queued, delayed or added from now on is reconciled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.#ready.clear();
    this.#again.clear();
    await this.pause();
  }

  /** Keys of one priority are reconciled in the order they were added. */
  add(key: string, priority: Priority = 'timer'): void {
    if (this.#isClosed) return;
    if (this.#processing.has(key)) {
      this.#again.set(key, higherPriority(this.#again.get(key), priority));
      return;
    }
    this.#ready.add(key, priority);
    this.#startReady();
  }

  /** Adds the key after a delay. */
  addAfter(key: string, milliseconds: number, priority: Priority = 'timer'): void {
    if (this.#isClosed) return;
    const { clock, delay } = this.#options;
    const at = clock.steady() + milliseconds;
    const planned = this.#delayed.get(key);
    if (planned !== undefined && planned.at <= at && delay !== 'newest') return;
    planned?.cancel();
    const cancel = clock.after(Math.max(0, milliseconds), () => {
      this.#delayed.delete(key);
      this.add(key, priority);
    });
    this.#delayed.set(key, { at, cancel });
  }

  /** Drops the key and its failures; a reconcile that is under way ends. */
  forget(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
    this.#ready.delete(key);
    this.#again.delete(key);
    this.#failures.delete(key);
  }

  #startReady(): void {
    const { workers = Infinity, inTurn } = this.#options;
    if (inTurn === undefined) while (this.#isOpen && this.#ready.hasNext) this.#startNext();
    else
      while (this.#isOpen && this.#starting < this.#ready.size && this.#processing.size + this.#starting < workers) {
        this.#starting++;
        inTurn(() => {
          this.#starting--;
          this.#startNext();
        });
      }
  }

  #startNext(): void {
    const key = this.#isOpen ? this.#ready.take() : undefined;
    if (key === undefined) return;
    this.#processing.add(key);
    void this.#process(key);
  }

  async #process(key: string): Promise<void> {
    try {
      await this.#options.reconcile(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, error);
    }
    this.#processing.delete(key);
    this.#ready.end(key);
    const again = this.#again.get(key);
    if (again !== undefined) {
      this.#again.delete(key);
      this.#ready.add(key, again);
    }
    this.#startReady();
    if (this.#processing.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #retry(key: string, error: unknown): void {
    const before = this.#failures.get(key);
    const message = error instanceof Error ? error.message : String(error);
    const count = (before?.count ?? 0) + 1;
    this.#failures.set(key, { count, message });
    this.#options.onFailure(key, error, before?.message === message);
    this.addAfter(key, this.#options.backoff(count), 'timer');
  }
}
