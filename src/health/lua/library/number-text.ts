import { formatFloat } from '../../../model/go/index.js';

/**
 * Numbers to text and back as gopher-lua does it with Go's strconv, its oddities included: tonumber("1e5") is nil while
 * "1e5" + 0 is 100000, and "010" + 0 is 8.
 */

/** True for what gopher-lua prints and formats as an int64. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** A number as tostring and `..` write it. */
export function numberToText(value: number): string {
  if ((value | 0) === value) return String(value);
  if (isInt64(value)) return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
  const size = Math.abs(value);
  // In this range Go and JavaScript write the same digits, without an exponent.
  if (size >= 1e-4 && size < 1e6) return String(value);
  const text = formatFloat(value, 'g', undefined);
  return text.charAt(0) === '-' || text.charAt(1) === 'I' ? text : text.slice(1);
}

/** Longer texts are no numbers, so that arithmetic on strings stays as cheap as a step of the script should be. */
const MAX_LENGTH = 4096;

/** The number a string stands for in arithmetic and for number arguments; undefined when it is none. */
export function textToNumber(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const trimmed = trimBlank(text);
  return parseInt64(trimmed, 0) ?? parseFloat64(trimmed);
}

/** tonumber for a string: `base` is undefined when the script gave none. */
export function textToNumberInBase(text: string, base: number | undefined): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const trimmed = trimBlank(text);
  if (trimmed.includes('.')) return parseFloat64(trimmed);
  if (base !== undefined) return parseInt64(trimmed, base);
  const isHex = trimmed.charCodeAt(0) === ZERO && (trimmed.charCodeAt(1) | 0x20) === LOWER_X;
  return isHex ? parseInt64(trimmed.slice(2), 16) : parseInt64(trimmed, 10);
}

/** Cuts spaces, tabs and newlines; gopher-lua leaves carriage returns where they are. */
function trimBlank(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a;
}

const ZERO = 0x30;
const LOWER_X = 0x78;
const UNDERSCORE = 0x5f;
const SAFE_DIGITS = 15;

/** An int64 in the given base; base 0 reads Go's prefixes 0x, 0b, 0o, 0 and underscores between digits. */
function parseInt64(text: string, base: number): number | undefined {
  const first = text.charCodeAt(0);
  const isNegative = first === 0x2d;
  const start = isNegative || first === 0x2b ? 1 : 0;
  const { radix, from } = base === 0 ? prefixOf(text, start) : { radix: base, from: start };
  if (radix < 2 || radix > 36 || text.length === start) return undefined;
  let value = 0;
  let hasUnderscore = false;
  let isLarge = text.length - from > SAFE_DIGITS;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === UNDERSCORE && base === 0) {
      hasUnderscore = true;
      continue;
    }
    const digit = digitOf(code);
    if (digit >= radix) return undefined;
    value = value * radix + digit;
    if (value > Number.MAX_SAFE_INTEGER) isLarge = true;
  }
  if (hasUnderscore && !underscoresFit(text)) return undefined;
  if (isLarge) return exactInt64(text.slice(from), radix, isNegative);
  return isNegative && value !== 0 ? -value : value;
}

/** A long digit text whose digits are already known to be good. */
function exactInt64(digits: string, radix: number, isNegative: boolean): number | undefined {
  let value = 0n;
  const base = BigInt(radix);
  for (let i = 0; i < digits.length; i++) {
    const code = digits.charCodeAt(i);
    if (code === UNDERSCORE) continue;
    value = value * base + BigInt(digitOf(code));
    if (value > 0x8000000000000000n) return undefined;
  }
  if (!isNegative && value === 0x8000000000000000n) return undefined;
  return value === 0n ? 0 : Number(isNegative ? -value : value);
}

function prefixOf(text: string, start: number): { readonly radix: number; readonly from: number } {
  if (text.charCodeAt(start) !== ZERO) return { radix: 10, from: start };
  const letter = text.length - start >= 3 ? text.charCodeAt(start + 1) | 0x20 : 0;
  if (letter === LOWER_X) return { radix: 16, from: start + 2 };
  if (letter === 0x62) return { radix: 2, from: start + 2 };
  if (letter === 0x6f) return { radix: 8, from: start + 2 };
  return { radix: 8, from: start + 1 };
}

function digitOf(code: number): number {
  if (code >= ZERO && code <= 0x39) return code - ZERO;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a ? lower - 0x61 + 10 : 99;
}

/** Each underscore must stand between digits, or between a base prefix and a digit. */
function underscoresFit(text: string): boolean {
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  const prefix = /^0[box]/i.exec(body)?.[0] ?? '';
  const isHex = prefix.toLowerCase() === '0x';
  let last = prefix === '' ? '^' : '0';
  for (const char of body.slice(prefix.length)) {
    if (char === '_') {
      if (last !== '0') return false;
      last = '_';
      continue;
    }
    const isDigit = isHex ? /[0-9a-f]/i.test(char) : /[0-9]/.test(char);
    if (last === '_' && !isDigit) return false;
    last = isDigit ? '0' : '!';
  }
  return last !== '_';
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEX = /^([+-]?)0[xX](?:([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?|\.([0-9a-fA-F]+))[pP]([+-]?\d+)$/;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;
const NOT_A_NUMBER = /^nan$/i;

/** A float64 as Go's ParseFloat reads it; a number too large for a float64 is refused. */
function parseFloat64(text: string): number | undefined {
  let body = text;
  if (text.includes('_')) {
    if (!underscoresFit(text)) return undefined;
    body = text.replaceAll('_', '');
  }
  if (DECIMAL.test(body)) {
    const value = Number(body);
    return Number.isFinite(value) ? value : undefined;
  }
  const infinite = INFINITE.exec(body);
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  if (NOT_A_NUMBER.test(text)) return NaN;
  const hex = HEX.exec(body);
  return hex === null ? undefined : hexFloat(hex);
}

function hexFloat(parts: RegExpExecArray): number | undefined {
  const [, sign, whole = '', fraction = '', onlyFraction = '', power = '0'] = parts;
  const places = fraction + onlyFraction;
  const mantissa = BigInt(`0x${whole}${places}`);
  // Go stops reading the exponent once it is past 10000; no float64 needs more.
  const exponent = Math.max(Math.min(Number(power), 100_000), -100_000) - 4 * places.length;
  const value = scale(mantissa, exponent);
  if (!Number.isFinite(value)) return undefined;
  return sign === '-' ? -value : value;
}

/** mantissa times two to the power, rounded once, ties to even. */
function scale(mantissa: bigint, power: number): number {
  if (mantissa === 0n) return 0;
  const length = mantissa.toString(2).length;
  const top = length + power;
  if (top > 1024) return Infinity;
  if (top < -1074) return 0;
  // Lowest bit a float64 of this size can hold.
  const lowest = Math.max(top - 53, -1074);
  const drop = lowest - power;
  if (drop <= 0) return Number(mantissa) * 2 ** power;
  const kept = mantissa >> BigInt(drop);
  const rest = mantissa - (kept << BigInt(drop));
  const half = 1n << BigInt(drop - 1);
  const up = rest > half || (rest === half && (kept & 1n) === 1n);
  return Number(up ? kept + 1n : kept) * 2 ** lowest;
}
