/** The smallest int64. Go on amd64 turns every float that does not fit, and NaN, into this number. */
export const INT64_MIN = -(2 ** 63);

/** A Lua number as Go's int: cut towards zero; what does not fit becomes the smallest int64. Never gives -0. */
export function toInt(value: number): number {
  const small = value | 0;
  if (small === value) return small;
  const whole = Math.trunc(value);
  return whole >= INT64_MIN && whole < 2 ** 63 ? whole + 0 : INT64_MIN;
}

/** One past the largest int64: what Go's arithmetic makes of the smallest minus one, as near as a float64 comes. */
export const INT64_OVER = 2 ** 63;

/** An int64 in a message. */
export function intText(value: number): string {
  if (value === INT64_OVER) return '9223372036854775807';
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}
