import { systemClock, type Clock } from '../../src/cluster/index.js';

const MINUTE = 60_000;

/** The clock of the machine, but whatever waits for a minute waits for the test. */
export class MinuteClock implements Clock {
  readonly #held = new Set<() => void>();
  #ahead = 0;

  now(): Date {
    return new Date(systemClock.now().getTime() + this.#ahead);
  }

  steady(): number {
    return systemClock.steady();
  }

  after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds !== MINUTE) return systemClock.after(milliseconds, callback);
    this.#held.add(callback);
    return () => { this.#held.delete(callback); };
  }

  /** So many minutes are over, and all that waited for one of them goes on. */
  pass(minutes: number): void {
    this.#ahead += minutes * MINUTE;
    const due = [...this.#held];
    this.#held.clear();
    for (const callback of due) callback();
  }
}
