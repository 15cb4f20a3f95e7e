import { Fault } from '../faults/index.js';

type QuantityFormat = 'decimal' | 'binary' | 'exponent';

/** A resource amount: `amount * 10^scale`, never finer than 10^-9, and the family of suffixes it is written with. */
export interface Quantity {
  readonly amount: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, where the API server keeps that instead of writing a canonical one. */
  readonly text?: string;
}

const NANO = -9;
const WRONG_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX = "unable to parse quantity's suffix";
/** Longer texts and larger exponents are refused: arithmetic on them would take seconds. */
const MAX_LENGTH = 1000;
const MAX_EXPONENT = 10_000;

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const DECIMAL_BY_EXPONENT: ReadonlyMap<number, string> = new Map(
  [...DECIMAL_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]),
);
const BINARY_BY_EXPONENT: ReadonlyMap<number, string> = new Map(
  [...BINARY_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]),
);

const FORM = /^([+-]?)0*((?:[1-9]\d*)?)(?:\.(\d*))?((?:(?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?)$/;

export const ZERO_QUANTITY: Quantity = { amount: 0n, scale: 0, format: 'decimal', text: '0' };

/** Reads a quantity. Numbers are accepted as in JSON; white space around text is ignored. */
export function parseQuantity(value: string | number | bigint): Quantity {
  const text = String(value).trim();
  if (text === '0') return ZERO_QUANTITY;
  const parts = text === '' || text.length > MAX_LENGTH ? null : FORM.exec(text);
  if (parts === null) throw new Fault('VALUE_INVALID', WRONG_FORM, { where: text.slice(0, 100) });
  const [, sign = '', digits = '', fraction = '', suffix = ''] = parts;
  const { format, exponent } = interpretSuffix(suffix, text);
  const whole = digits === '' ? '0' : digits;
  return (
    quickQuantity(text, sign, whole, fraction, format, exponent) ??
    exactQuantity(sign, whole, fraction, format, exponent)
  );
}

function interpretSuffix(suffix: string, where: string): { format: QuantityFormat; exponent: number } {
  const decimal = DECIMAL_SUFFIXES.get(suffix);
  if (decimal !== undefined) return { format: 'decimal', exponent: decimal };
  const binary = BINARY_SUFFIXES.get(suffix);
  if (binary !== undefined) return { format: 'binary', exponent: binary };
  const exponent = /^[eE][-+]?\d+$/.test(suffix) ? Number(suffix.slice(1)) : NaN;
  if (!(Math.abs(exponent) <= MAX_EXPONENT)) throw new Fault('VALUE_INVALID', WRONG_SUFFIX, { where });
  return { format: 'exponent', exponent };
}

const INT64_MAX = 2n ** 63n - 1n;

/**
 * Amounts that fit the API server's 64-bit form. Only there it keeps the given text when that looks canonical, even
 * where it is not quite (`+5`, `01`, `1.200`), and clients see that text again.
 */
function quickQuantity(
  text: string,
  sign: string,
  whole: string,
  fraction: string,
  format: QuantityFormat,
  exponent: number,
): Quantity | undefined {
  const shifted = whole + fraction;
  let scale: number;
  let factor = 1n;
  if (format === 'binary') {
    if (fraction !== '' || 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 < 0) return undefined;
    scale = 0;
    factor = 2n ** BigInt(exponent);
  } else {
    if (18 - shifted.length < 0) return undefined;
    scale = exponent - fraction.length;
  }
  if (scale < NANO) return undefined;
  const value = BigInt(shifted);
  if (value * factor > INT64_MAX) return undefined;
  const keep =
    format === 'binary' ? (value & 7n) !== 0n : scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  const amount = sign === '-' ? -value * factor : value * factor;
  return keep ? { amount, scale, format, text } : { amount, scale, format };
}

function exactQuantity(
  sign: string,
  whole: string,
  fraction: string,
  format: QuantityFormat,
  exponent: number,
): Quantity {
  let size = BigInt(whole + fraction);
  let scale = -fraction.length;
  if (format === 'binary') size *= 2n ** BigInt(exponent);
  else scale += exponent;
  if (scale < NANO) {
    // Any request for more than nothing stays one.
    size = divideUp(size, NANO - scale);
    scale = NANO;
  }
  if (format === 'binary') {
    if (scaled(size, scale, NANO) > scaled(INT64_MAX, 0, NANO)) [size, scale] = [INT64_MAX, 0];
    if (size > 0n && scaled(size, scale, NANO) < 10n ** 9n) format = 'decimal';
  }
  return { amount: sign === '-' ? -size : size, scale, format };
}

/** size / 10^digits, rounded up; size is not negative. */
function divideUp(size: bigint, digits: number): bigint {
  if (size === 0n) return 0n;
  if (digits > size.toString().length) return 1n;
  const divisor = 10n ** BigInt(digits);
  return (size + divisor - 1n) / divisor;
}

/** amount * 10^(from - to), for from >= to. */
function scaled(amount: bigint, from: number, to: number): bigint {
  return from === to ? amount : amount * 10n ** BigInt(from - to);
}

/** The text of a quantity as the API server writes it. */
export function quantityText(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.amount === 0n) return '0';
  if (quantity.format === 'binary') {
    const whole = wholeValue(quantity);
    if (whole !== undefined && (whole >= 1024n || whole <= -1024n)) return binaryText(whole);
  }
  return decimalText(quantity.amount, quantity.scale, quantity.format === 'exponent');
}

/** The value as an integer, or undefined where it has a fraction. */
function wholeValue({ amount, scale }: Quantity): bigint | undefined {
  if (scale >= 0) return scaled(amount, scale, 0);
  const divisor = 10n ** BigInt(-scale);
  return amount % divisor === 0n ? amount / divisor : undefined;
}

function binaryText(value: bigint): string {
  let times = 0;
  for (; value % 1024n === 0n; times++) value /= 1024n;
  return `${value}${BINARY_BY_EXPONENT.get(times * 10) ?? ''}`;
}

function decimalText(amount: bigint, scale: number, withExponent: boolean): string {
  while (amount % 10n === 0n) {
    amount /= 10n;
    scale++;
  }
  while (scale % 3 !== 0) {
    amount *= 10n;
    scale--;
  }
  if (withExponent) return scale === 0 ? String(amount) : `${amount}e${scale}`;
  // Beyond 10^18 there is no suffix, and the API server writes none.
  return `${amount}${DECIMAL_BY_EXPONENT.get(scale) ?? ''}`;
}

/** The canonical text of a quantity given as text or number: what the API server stores. */
export function canonicalQuantity(value: string | number | bigint): string {
  return quantityText(parseQuantity(value));
}

export function compareQuantities(a: Quantity, b: Quantity): number {
  const scale = Math.min(a.scale, b.scale);
  const left = scaled(a.amount, a.scale, scale);
  const right = scaled(b.amount, b.scale, scale);
  return left < right ? -1 : Number(left > right);
}

/** The sum, written like the first; like the second where the first is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale);
  const format = a.amount === 0n ? b.format : a.format;
  return { amount: scaled(a.amount, a.scale, scale) + scaled(b.amount, b.scale, scale), scale, format };
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, negateQuantity(b));
}

export function negateQuantity({ amount, scale, format }: Quantity): Quantity {
  return { amount: -amount, scale, format };
}

export function isZeroQuantity(quantity: Quantity): boolean {
  return quantity.amount === 0n;
}

/** The nearest floating-point number. */
export function quantityToNumber({ amount, scale }: Quantity): number {
  return Number(`${amount}e${scale}`);
}

/** The value in units of 10^scale (0: whole, -3: milli), rounded away from zero. */
export function quantityValue(quantity: Quantity, scale = 0): bigint {
  if (quantity.scale >= scale) return scaled(quantity.amount, quantity.scale, scale);
  const size = quantity.amount < 0n ? -quantity.amount : quantity.amount;
  const up = divideUp(size, scale - quantity.scale);
  return quantity.amount < 0n ? -up : up;
}

/** A quantity from a whole number of units of 10^scale. */
export function quantityOf(amount: bigint | number, format: QuantityFormat = 'decimal', scale = 0): Quantity {
  return { amount: BigInt(amount), scale, format };
}
