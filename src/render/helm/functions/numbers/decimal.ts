import { functionError } from '../../template/template-error.js';

/**
 * A number in base ten: value times ten to the power. addf and its kin calculate with these, so that 0.1 + 0.2 is 0.3.
 */
export interface Decimal {
  readonly value: bigint;
  readonly power: number;
}

const PLACES = 16;

export function decimalOf(float: number): Decimal {
  if (!Number.isFinite(float)) {
    const infinity = float > 0 ? '+Inf' : '-Inf';
    throw functionError(`Cannot create a Decimal from ${Number.isNaN(float) ? 'NaN' : infinity}`);
  }
  if (float === 0) return { value: 0n, power: 0 };
  const [mantissa = '', exponent = '0'] = float.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { value: BigInt(whole + fraction), power: Number(exponent) - fraction.length };
}

/** The nearest float; JavaScript reads decimal text exactly. */
export function floatOfDecimal({ value, power }: Decimal): number {
  return value === 0n ? 0 : Number(`${value}e${power}`);
}

function ten(power: number): bigint {
  return 10n ** BigInt(power);
}

function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint, number] {
  const power = Math.min(a.power, b.power);
  return [a.value * ten(a.power - power), b.value * ten(b.power - power), power];
}

export function add(a: Decimal, b: Decimal): Decimal {
  const [x, y, power] = aligned(a, b);
  return { value: x + y, power };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  const [x, y, power] = aligned(a, b);
  return { value: x - y, power };
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { value: a.value * b.value, power: a.power + b.power };
}

/** Sixteen places behind the point; halves go away from zero. */
export function divide(a: Decimal, b: Decimal): Decimal {
  if (b.value === 0n) throw functionError('decimal division by 0');
  const shift = a.power - b.power + PLACES;
  const numerator = shift < 0 ? a.value : a.value * ten(shift);
  const divisor = shift < 0 ? b.value * ten(-shift) : b.value;
  const quotient = numerator / divisor;
  const rest = numerator % divisor;
  const isUp = abs(rest) * 2n >= abs(divisor);
  const step = a.value < 0n === b.value < 0n ? 1n : -1n;
  return { value: isUp ? quotient + step : quotient, power: -PLACES };
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
