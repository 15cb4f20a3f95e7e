import { backoff, pause, type ClientDependencies } from './clock.js';

export interface BackoffLimits {
  /** Least time between two requests while they fail. */
  readonly min: number;
  /** Longest backoff for what passes by itself. */
  readonly max: number;
  /** Longest backoff for what somebody must change first: a right, a missing kind. */
  readonly slowMax: number;
}

/** Decides when the next request of one kind may go out, so that a server that is down sees at most one a second. */
export class RequestBackoff {
  #failures = 0;
  #requested = Number.NEGATIVE_INFINITY;

  constructor(
    readonly dependencies: ClientDependencies,
    readonly limits: BackoffLimits,
  ) {}

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** A request goes out now. */
  request(): void {
    this.#requested = this.dependencies.clock.steady();
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** A stream ended before its first event. */
  failed(): void {
    this.#failures++;
  }

  /** A request was refused or lost: the server may have received it only just now, so the next one counts from here. */
  refused(): void {
    this.#failures++;
    this.request();
  }

  /** Waits until the next request may go out; `least` is what the server asked for. */
  wait(how: 'quick' | 'slow', least: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.dependencies;
    const { min, max, slowMax } = this.limits;
    const spacing = this.#requested + min - clock.steady();
    const jitter = backoff(random, this.#failures, min, how === 'slow' ? slowMax : max);
    return pause(clock, Math.max(spacing, jitter, least), signal);
  }
}
