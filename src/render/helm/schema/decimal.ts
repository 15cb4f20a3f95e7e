/** A number as an exact fraction of powers of ten, so that 0.3 is three times 0.1. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Numbers from files are short; an exponent made to fill memory is cut. */
const MAX_SCALE = 400;

function decimalOf(value: number | bigint): Decimal {
  if (typeof value === 'bigint') return { digits: value, scale: 0 };
  const [mantissa = '0', exponent = '0'] = value.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  if (scale >= 0) return { digits, scale: Math.min(scale, MAX_SCALE) };
  return { digits: digits * 10n ** BigInt(Math.min(-scale, MAX_SCALE)), scale: 0 };
}

function aligned(a: number | bigint, b: number | bigint): readonly [bigint, bigint] {
  const [left, right] = [decimalOf(a), decimalOf(b)];
  const scale = Math.max(left.scale, right.scale);
  return [left.digits * 10n ** BigInt(scale - left.scale), right.digits * 10n ** BigInt(scale - right.scale)];
}

export function compareNumbers(a: number | bigint, b: number | bigint): number {
  const [left, right] = aligned(a, b);
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

export function isMultiple(value: number | bigint, of: number | bigint): boolean {
  const [left, right] = aligned(value, of);
  return right === 0n || left % right === 0n;
}
