const FIRST = 1000;
const LONGEST = 15 * 60_000;

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
    const fresh = entry === undefined || at - entry.since > 2 * LONGEST;
    this.#entries.set(key, { delay: fresh ? FIRST : Math.min(entry.delay * 2, LONGEST), since: at });
    return 0;
  }
}
