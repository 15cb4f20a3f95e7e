import type { Clock } from '../timing/index.js';

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  readonly #start = Date.UTC(2026, 0, 1);

  now(): Date {
    return new Date(this.#start + this.#now);
  }

  steady(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Milliseconds until each timer rings, soonest first. */
  pending(): number[] {
    return [...this.#timers].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }

  /** Lets the network work until something is so; gives up after many turns of the event loop. */
  async until(condition: () => boolean): Promise<void> {
    for (let turn = 0; !condition(); turn++) {
      if (turn > 200_000) throw new Error('it never came true');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Waits for a timer of about this length and rings it. */
  async ring(from: number, to = from): Promise<void> {
    const match = (): number | undefined => this.pending().find((left) => left >= from && left <= to);
    await this.until(() => match() !== undefined);
    this.advance(match() ?? 0);
  }
}
