/** Time as the client sees it; tests move it by hand. */
export interface Clock {
  /** Time of day, for what others read. */
  now(): Date;
  /** Milliseconds that only grow, whatever happens to the time of day: for timeouts, ages and leases. */
  steady(): number;
  /** Calls back after `milliseconds`; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
  /** As `after`, for the patience with a program of this machine: a clock that leaps must not leap over its work. */
  deadline?(milliseconds: number, callback: () => void): () => void;
}

/** What the client needs of the outside beside the network. */
export interface ClientDependencies {
  readonly clock: Clock;
  /** A number from 0 up to 1, as Math.random gives. */
  readonly random: () => number;
  /** Takes what went wrong and was survived, and with level info that it is over. */
  readonly report: (message: string, level?: 'info' | 'warn') => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  steady: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Resolves after a time, or at once when `signal` aborts. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(milliseconds, end);
    signal?.addEventListener('abort', end);
  });
}

/**
 * Full jitter: anything from nothing to a bound that doubles with each failure. Clients that failed together do not
 * come back together.
 */
export function backoff(random: () => number, failures: number, first: number, most: number): number {
  return failures <= 0 ? 0 : random() * Math.min(most, first * 2 ** Math.min(failures - 1, 30));
}
