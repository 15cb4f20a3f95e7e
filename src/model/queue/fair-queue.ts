import { FairShares, type FairSharesOptions, type Lane } from './fair-shares.js';

/** Runs so much at a time, by fair shares; within a lane in the order it came. */
export class FairQueue {
  readonly #shares: FairShares;
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(options: FairSharesOptions) {
    this.#shares = new FairShares(options);
  }

  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      const key = keyOf(lane);
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), resolve]);
      this.#shares.add(lane);
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#shares.end(lane);
      this.#startNext();
    }
  }

  #startNext(): void {
    for (let lane = this.#shares.next(); lane !== undefined; lane = this.#shares.next()) {
      const [first, ...rest] = this.#waiting.get(keyOf(lane)) ?? [];
      if (rest.length === 0) this.#waiting.delete(keyOf(lane));
      else this.#waiting.set(keyOf(lane), rest);
      this.#shares.start(lane);
      first?.();
    }
  }
}

function keyOf({ owner, host }: Lane): string {
  return `${owner}\n${host}`;
}
