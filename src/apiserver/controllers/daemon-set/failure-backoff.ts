const INITIAL_BACKOFF = 1000;
const MAX_BACKOFF = 15 * 60_000;

interface Entry {
  readonly delay: number;
  readonly since: number;
}

/**
 * How long to wait before a pod that failed again is replaced: 1 s, doubling up to 15 minutes, forgotten after twice
 * that.
 */
export class FailureBackoff {
  readonly #entries = new Map<string, Entry>();

  /** 0: go ahead, and wait longer next time; else the milliseconds to wait. */
  next(key: string, now: Date): number {
    const at = now.getTime();
    const entry = this.#entries.get(key);
    if (entry && at - entry.since < entry.delay) return entry.delay - (at - entry.since);
    const fresh = entry === undefined || at - entry.since > 2 * MAX_BACKOFF;
    this.#entries.set(key, { delay: fresh ? INITIAL_BACKOFF : Math.min(entry.delay * 2, MAX_BACKOFF), since: at });
    return 0;
  }
}
