/** An exact number: sums of parts are compared without rounding. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

export const ZERO: Fraction = { over: 0n, under: 1n };

/** Adds one part of so many. */
export function addPart({ over, under }: Fraction, parts: number): Fraction {
  const other = BigInt(parts);
  const sum = { over: over * other + under, under: under * other };
  const divisor = greatestDivisor(sum.over, sum.under);
  return { over: sum.over / divisor, under: sum.under / divisor };
}

export function compareFractions(a: Fraction, b: Fraction): number {
  const [left, right] = [a.over * b.under, b.over * a.under];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  if (b !== 0n) return greatestDivisor(b, a % b);
  return a === 0n ? 1n : a;
}
