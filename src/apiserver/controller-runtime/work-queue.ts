import type { Clock } from '../rest/index.js';
import { FairQueue, type WorkClass } from './fair-queue.js';

/** Milliseconds before the first retry of a failed key; doubles up to the longest. */
const INITIAL_RETRY_DELAY = 50;
const MAX_RETRY_DELAY = 30_000;

/**
 * Keys to look at again, each at most once at a time. A key carries no event: its reconciler reads the whole truth, so
 * restart, retry and missed events are the same path.
 */
export class WorkQueue {
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();
  readonly #queue: FairQueue;
  #closed = false;

  constructor(
    readonly clock: Clock,
    readonly work: (key: string) => Promise<void>,
    readonly onFailure: (key: string, error: unknown) => void,
    sort: WorkClass = 'doing',
  ) {
    this.#queue = new FairQueue(sort);
  }

  add(key: string): void {
    if (this.#closed || this.#waiting.has(key)) return;
    this.#waiting.add(key);
    if (!this.#running.has(key)) this.#queue.add(() => void this.#run(key));
  }

  /** Adds the key after a while, in place of an earlier order for the same key. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#closed) return;
    this.#timers.get(key)?.();
    this.#timers.set(
      key,
      this.clock.after(milliseconds, () => {
        this.#timers.delete(key);
        this.add(key);
      }),
    );
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
  }

  async #run(key: string): Promise<void> {
    if (this.#closed || !this.#waiting.delete(key)) return;
    this.#running.add(key);
    try {
      await this.work(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, error);
    } finally {
      this.#running.delete(key);
      if (this.#waiting.has(key)) this.#queue.add(() => void this.#run(key));
    }
  }

  #retry(key: string, error: unknown): void {
    if (this.#closed) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.onFailure(key, error);
    this.addAfter(key, Math.min(MAX_RETRY_DELAY, INITIAL_RETRY_DELAY * 2 ** (failures - 1)));
  }
}
