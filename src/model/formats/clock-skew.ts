/** Milliseconds by which the clocks of two processes may differ. */
const MAX_CLOCK_SKEW = 60_000;

/**
 * Whether a stored time comes from a clock that was far ahead. Whoever waits for something since then must not wait
 * until that time has come.
 */
export function isAhead(stored: number, now: number): boolean {
  return stored > now + MAX_CLOCK_SKEW;
}
