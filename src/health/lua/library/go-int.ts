/** The smallest int64. Go on amd64 turns every float that does not fit, and NaN, into this number. */
export const INT64_MIN = -(2 ** 63);

/** A Lua number as Go's int: cut towards zero; what does not fit becomes the smallest int64. Never gives -0. */
export function toInt(value: number): number {
  const small = value | 0;
  if (small === value) return small;
  const whole = Math.trunc(value);
  return whole >= INT64_MIN && whole < 2 ** 63 ? whole + 0 : INT64_MIN;
}

/** Brings the sum of two int64 back into range as Go's overflow does; the step past the smallest gives the largest. */
export function wrapInt(value: number): number {
  if (value < INT64_MIN) return value + 2 ** 64;
  return value >= 2 ** 63 ? value - 2 ** 64 : value;
}
