import type { Clock, SourceWorld } from './clock.js';

export interface PollerOptions {
  readonly milliseconds: number;
  /** Up to so much more, by chance, so that repositories are not all looked at in the same moment. */
  readonly jitter: number;
  /** One look; failures are counted and make the next look wait longer. */
  readonly look: () => Promise<void>;
}

const LONGEST_FACTOR = 8;

/** Looks again and again, and at once when it is told that something happened. One look at a time. */
export class Poller {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #options: PollerOptions;
  #cancel: () => void = () => undefined;
  #isLooking = false;
  #isAsked = false;
  #isClosed = false;
  #failures = 0;

  constructor(world: Pick<SourceWorld, 'clock' | 'random'>, options: PollerOptions) {
    this.#clock = world.clock;
    this.#random = world.random;
    this.#options = options;
    // The first look comes somewhere in the first round.
    this.#cancel = this.#clock.after(this.#random() * options.milliseconds, () => { void this.#look(); });
  }

  /** A look now; where one is under way, another one after it, since it may have missed what happened. */
  notify(): void {
    if (this.#isLooking) this.#isAsked = true;
    else void this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#isClosed) return;
    this.#cancel();
    this.#isLooking = true;
    this.#isAsked = false;
    try {
      await this.#options.look();
      this.#failures = 0;
    } catch {
      // The look has told what went wrong; here it only counts.
      this.#failures++;
    }
    this.#isLooking = false;
    this.#plan();
  }

  #plan(): void {
    if (this.#mayStop()) return;
    const wait = this.#isAsked ? 0 : this.#options.milliseconds * Math.min(LONGEST_FACTOR, 2 ** this.#failures) + this.#random() * this.#options.jitter;
    this.#cancel = this.#clock.after(wait, () => { void this.#look(); });
  }

  #mayStop(): boolean {
    return this.#isClosed;
  }
}
