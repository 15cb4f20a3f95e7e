import { textAt, type JsonObject } from '../../model/json/index.js';
import type { RepositoryEntry } from '../../source/index.js';

/** Milliseconds for which an answer counts, and for which none does. */
const [GOOD_FOR, BAD_FOR] = [600_000, 30_000];
const MAX_KEPT = 5000;
const AT_ONCE = 10;

interface KnownState {
  readonly at: number;
  readonly state: Promise<JsonObject>;
  isGood: boolean;
}

/** Whether repositories can be reached, asked of a few at a time and remembered for a while. */
export class ConnectionStates {
  readonly #known = new Map<string, KnownState>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    private readonly ask: (entry: RepositoryEntry) => Promise<JsonObject>,
    private readonly keyOf: (entry: RepositoryEntry) => string,
    private readonly steady: () => number,
  ) {}

  of(entry: RepositoryEntry, isForced: boolean): Promise<JsonObject> {
    const key = this.keyOf(entry);
    const known = this.#known.get(key);
    const age = known === undefined ? Infinity : this.steady() - known.at;
    if (known !== undefined && !isForced && age < (known.isGood ? GOOD_FOR : BAD_FOR)) return known.state;
    const fresh: KnownState = { at: this.steady(), isGood: true, state: this.#whenFree(() => this.ask(entry)) };
    this.#known.set(key, fresh);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KEPT && oldest !== undefined) this.#known.delete(oldest);
    fresh.state.then(
      (state) => {
        fresh.isGood = textAt(state, 'status') !== 'Failed';
      },
      () => this.#known.delete(key),
    );
    return fresh.state;
  }

  async #whenFree<T>(act: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    this.#running++;
    try {
      return await act();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
