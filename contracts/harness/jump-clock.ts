import { systemClock, type Clock } from '../../src/cluster/index.js';

/** Leases keep the time of the machine, and so does the patience of requests: exactly 30 seconds. */
const LONG = 25_000;
const REQUEST_TIMEOUT = 30_000;

/** The clock of the machine, until the test lets time pass: then whatever waits long for something goes on. */
export class JumpClock implements Clock {
  readonly #long = new Set<{ readonly at: number; readonly ring: () => void }>();
  #ahead = 0;

  now(): Date {
    return new Date(systemClock.now().getTime() + this.#ahead);
  }

  steady(): number {
    return systemClock.steady();
  }

  after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds <= LONG || milliseconds === REQUEST_TIMEOUT) return systemClock.after(milliseconds, callback);
    const entry = {
      at: this.now().getTime() + milliseconds,
      ring: () => {
        stop();
        callback();
      },
    };
    const cancel = systemClock.after(milliseconds, () => {
      entry.ring();
    });
    const stop = (): void => {
      cancel();
      this.#long.delete(entry);
    };
    this.#long.add(entry);
    return stop;
  }

  pass(milliseconds: number): void {
    this.#ahead += milliseconds;
    const now = this.now().getTime();
    for (const entry of [...this.#long]) if (entry.at <= now) entry.ring();
  }
}
