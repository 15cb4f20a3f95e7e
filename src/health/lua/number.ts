import { isWhole } from './value.js';

/** Numbers to text and back as gopher-lua does it, which is as Go's fmt and strconv do it. */

export function formatNumber(value: number): string {
  if (isWhole(value)) return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
  return formatFloat(value);
}

/** Go's %v of a float64. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A numeral in arithmetic on strings: any integer or float that Go's strconv reads with base 0, spaces around it. */
export function parseNumber(text: string): number | undefined {
  const trimmed = trim(text);
  return parseInteger(trimmed, 0) ?? parseFloat64(trimmed);
}

export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a;
}

const DECIMAL = /^[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?$/;
const HEX_FLOAT = /^[+-]?0[xX](?:_?[\da-fA-F][\da-fA-F_]*\.?[\da-fA-F_]*|\.[\da-fA-F][\da-fA-F_]*)[pP][+-]?\d[\d_]*$/;
const SPECIAL = /^(?:[+-]?inf(?:inity)?|nan)$/i;

/** strconv.ParseFloat: undefined for no number and for one beyond the range of float64. */
export function parseFloat64(text: string): number | undefined {
  if (SPECIAL.test(text)) return /nan/i.test(text) ? NaN : text.startsWith('-') ? -Infinity : Infinity;
  const hex = HEX_FLOAT.test(text);
  if (!hex && !DECIMAL.test(text)) return undefined;
  if (text.includes('_') && !underscoresSeparate(text)) return undefined;
  const plain = text.replaceAll('_', '');
  const value = hex ? hexFloat(plain) : Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

function hexFloat(text: string): number {
  const match = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)[pP]([+-]?\d+)$/.exec(text);
  if (match === null) return NaN;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  // Digits beyond 13 cannot change a double except by rounding; the mantissa is read exactly as an integer first.
  const mantissa = Number(BigInt(`0x${whole}${fraction}`));
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

/** strconv.ParseInt with 64 bits: undefined for no number and for one beyond the range of int64. */
export function parseInteger(text: string, base: number): number | undefined {
  let digits = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text;
  if (digits === '') return undefined;
  let radix = base;
  if (base === 0) {
    if (digits.includes('_') && !underscoresSeparate(text)) return undefined;
    [radix, digits] = splitPrefix(digits);
    digits = digits.replaceAll('_', '');
  }
  const value = readDigits(digits, radix);
  if (value === undefined) return undefined;
  const signed = text.startsWith('-') ? -value : value;
  if (Math.abs(signed) <= Number.MAX_SAFE_INTEGER) return signed === 0 ? 0 : signed;
  const exact = exactDigits(digits, radix);
  const limit = 1n << 63n;
  if (text.startsWith('-') ? exact > limit : exact >= limit) return undefined;
  return Number(text.startsWith('-') ? -exact : exact);
}

function splitPrefix(digits: string): [number, string] {
  if (digits.length > 1 && digits.startsWith('0')) {
    const letter = digits.charAt(1).toLowerCase();
    const radix = letter === 'x' ? 16 : letter === 'b' ? 2 : letter === 'o' ? 8 : 0;
    if (radix !== 0) return [radix, digits.length > 2 ? digits.slice(2) : ''];
    return [8, digits.slice(1)];
  }
  return [10, digits];
}

function readDigits(digits: string, radix: number): number | undefined {
  if (digits === '') return undefined;
  let value = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digitValue(digits.charCodeAt(i));
    if (digit >= radix) return undefined;
    value = value * radix + digit;
  }
  return value;
}

function exactDigits(digits: string, radix: number): bigint {
  // A numeral this long is out of range whatever its digits are.
  const significant = digits.replace(/^0+/, '');
  if (significant.length > 64) return 1n << 64n;
  let value = 0n;
  for (let i = 0; i < significant.length; i++) value = value * BigInt(radix) + BigInt(digitValue(significant.charCodeAt(i)));
  return value;
}

function digitValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a ? letter - 0x57 : 99;
}

/** Go lets single underscores stand between digits and after a base prefix. */
function underscoresSeparate(text: string): boolean {
  const body = text.replace(/^[+-]/, '');
  const hex = /^0[xX]/.test(body);
  const prefixed = /^0[xXbBoO]/.test(body);
  let last = prefixed ? '0' : '^';
  for (let i = prefixed ? 2 : 0; i < body.length; i++) {
    const char = body.charAt(i);
    if (/\d/.test(char) || (hex && /[a-fA-F]/.test(char))) last = '0';
    else if (char === '_') {
      if (last !== '0') return false;
      last = '_';
    } else if (last === '_') return false;
    else last = '!';
  }
  return last !== '_';
}
