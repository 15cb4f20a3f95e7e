import type { Clock, SourceDependencies } from './common/index.js';

/** How often something is looked at, in milliseconds; 0 is only when it is told that something happened. */
export interface PollInterval {
  readonly milliseconds: number;
  /** Up to so much more, by chance, so that repositories are not all looked at in the same moment. */
  readonly jitter: number;
}

export interface PollerOptions {
  /** Asked anew before each look. */
  readonly interval: () => PollInterval;
  /** One look; failures are counted and make the next look wait longer. */
  readonly poll: () => Promise<void>;
}

const MAX_BACKOFF_FACTOR = 8;
/** So long after it was switched off it is seen whether it still is. */
const RECHECK_MILLISECONDS = 60_000;

/** Looks again and again, and at once when it is told that something happened. One look at a time. */
export class Poller {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #options: PollerOptions;
  #cancel: () => void = () => undefined;
  #isPolling = false;
  #isNotified = false;
  #isClosed = false;
  #failures = 0;

  constructor(world: Pick<SourceDependencies, 'clock' | 'random'>, options: PollerOptions) {
    this.#clock = world.clock;
    this.#random = world.random;
    this.#options = options;
    // The first look comes somewhere in the first round.
    this.#wait(this.#random() * options.interval().milliseconds);
  }

  /** A look now; where one is under way, another one after it, since it may have missed what happened. */
  notify(): void {
    if (this.#isPolling) this.#isNotified = true;
    else void this.#poll();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#isClosed) return;
    this.#cancel();
    this.#isPolling = true;
    this.#isNotified = false;
    try {
      await this.#options.poll();
      this.#failures = 0;
    } catch {
      // The look has told what went wrong; here it only counts.
      this.#failures++;
    }
    this.#isPolling = false;
    this.#plan();
  }

  #plan(): void {
    if (this.#mayStop()) return;
    const { milliseconds, jitter } = this.#options.interval();
    if (this.#isNotified) this.#wait(0);
    else
      this.#wait(
        milliseconds === 0
          ? 0
          : milliseconds * Math.min(MAX_BACKOFF_FACTOR, 2 ** this.#failures) + this.#random() * jitter,
      );
  }

  #wait(milliseconds: number): void {
    if (!this.#isNotified && this.#options.interval().milliseconds === 0)
      this.#cancel = this.#clock.after(RECHECK_MILLISECONDS, () => {
        this.#plan();
      });
    else
      this.#cancel = this.#clock.after(milliseconds, () => {
        void this.#poll();
      });
  }

  #mayStop(): boolean {
    return this.#isClosed;
  }
}
