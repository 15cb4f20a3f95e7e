import { backoff, pause, type World } from './clock.js';

export interface Pace {
  /** Least time between two requests while they fail. */
  readonly floor: number;
  /** Longest backoff for what passes by itself. */
  readonly most: number;
  /** Longest backoff for what somebody must change first: a right, a missing kind. */
  readonly slow: number;
}

/** Decides when the next request of one kind may go out, so that a server that is down sees at most one a second. */
export class Pacer {
  #failures = 0;
  #requested = Number.NEGATIVE_INFINITY;

  constructor(
    readonly world: World,
    readonly pace: Pace,
  ) {}

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** A request goes out now. */
  request(): void {
    this.#requested = this.world.clock.steady();
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** A stream ended before it told anything. */
  failed(): void {
    this.#failures++;
  }

  /** A request was refused or lost: the server may have seen it only just now, so the next one counts from here. */
  refused(): void {
    this.#failures++;
    this.request();
  }

  /** Waits until the next request may go out; `least` is what the server asked for. */
  wait(how: 'quick' | 'slow', least: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.world;
    const { floor, most, slow } = this.pace;
    const spacing = this.#requested + floor - clock.steady();
    const jitter = backoff(random, this.#failures, floor, how === 'slow' ? slow : most);
    return pause(clock, Math.max(spacing, jitter, least), signal);
  }
}
