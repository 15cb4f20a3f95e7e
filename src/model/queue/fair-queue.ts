import { FairShares, type FairSharesOptions, type Lane } from './fair-shares.js';

export interface FairQueueOptions extends FairSharesOptions {
  /** Others are owed a share only where something runs longer than this; at once without it. */
  readonly patience?: {
    readonly milliseconds: number;
    /** Calls back after a time; the returned function cancels. */
    readonly after: (milliseconds: number, callback: () => void) => () => void;
  };
}

/** Runs so much at a time, by fair shares; within a lane in the order it came. */
export class FairQueue {
  readonly #shares: FairShares;
  readonly #patience: FairQueueOptions['patience'];
  readonly #waiting = new Map<string, (() => void)[]>();
  /** How much runs longer than the patience. */
  #long = 0;

  constructor({ patience, ...options }: FairQueueOptions) {
    this.#shares = new FairShares(options);
    this.#patience = patience;
  }

  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      const key = keyOf(lane);
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), resolve]);
      this.#shares.add(lane);
      this.#startNext();
    });
    const endPatience = this.#startPatience();
    try {
      return await work();
    } finally {
      endPatience();
      this.#shares.end(lane);
      this.#startNext();
    }
  }

  #startPatience(): () => void {
    if (this.#patience === undefined) return () => undefined;
    const { milliseconds, after } = this.#patience;
    let isLong = false;
    const cancel = after(milliseconds, () => {
      isLong = true;
      this.#long++;
      this.#startNext();
    });
    return () => {
      cancel();
      if (isLong) this.#long--;
    };
  }

  #startNext(): void {
    const isOwed = this.#patience === undefined || this.#long > 0;
    for (let lane = this.#shares.next(isOwed); lane !== undefined; lane = this.#shares.next(isOwed)) {
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
