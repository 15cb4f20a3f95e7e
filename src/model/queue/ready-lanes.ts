import { FairShares, type FairSharesOptions, type Lane } from './fair-shares.js';
import { type Priority, ReadyKeys } from './ready-keys.js';

/** Keys that are ready, by lane: shares decide whose turn it is, priority and age which key of a lane. */
export class ReadyLanes {
  readonly #shares: FairShares;
  readonly #laneOf: (key: string) => Lane;
  readonly #keys = new Map<string, { readonly lane: Lane; readonly ready: ReadyKeys }>();
  /** The lane that a key waits in, and the one that it runs in. */
  readonly #waiting = new Map<string, Lane>();
  readonly #running = new Map<string, Lane>();

  constructor(options: FairSharesOptions, laneOf: (key: string) => Lane) {
    this.#shares = new FairShares(options);
    this.#laneOf = laneOf;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(key: string, priority: Priority): void {
    const known = this.#waiting.get(key);
    const lane = known ?? this.#laneOf(key);
    const text = textOf(lane);
    const entry = this.#keys.get(text) ?? { lane, ready: new ReadyKeys() };
    this.#keys.set(text, entry);
    entry.ready.add(key, priority);
    if (known !== undefined) return;
    this.#waiting.set(key, lane);
    this.#shares.add(lane);
  }

  /** Whether a key may start now. */
  get hasNext(): boolean {
    return this.#shares.next() !== undefined;
  }

  /** The next key, which runs from now on. */
  take(): string | undefined {
    const lane = this.#shares.next();
    const key = lane === undefined ? undefined : this.#keys.get(textOf(lane))?.ready.take();
    if (lane === undefined || key === undefined) return undefined;
    this.#waiting.delete(key);
    this.#running.set(key, lane);
    this.#shares.start(lane);
    this.#clean(lane);
    return key;
  }

  /** The key runs no more. */
  end(key: string): void {
    const lane = this.#running.get(key);
    if (lane === undefined) return;
    this.#running.delete(key);
    this.#shares.end(lane);
  }

  delete(key: string): void {
    const lane = this.#waiting.get(key);
    if (lane === undefined) return;
    this.#waiting.delete(key);
    this.#keys.get(textOf(lane))?.ready.delete(key);
    this.#shares.remove(lane);
    this.#clean(lane);
  }

  clear(): void {
    for (const key of [...this.#waiting.keys()]) this.delete(key);
  }

  #clean(lane: Lane): void {
    if (this.#keys.get(textOf(lane))?.ready.size === 0) this.#keys.delete(textOf(lane));
  }
}

function textOf({ owner, host }: Lane): string {
  return `${owner}\n${host}`;
}
