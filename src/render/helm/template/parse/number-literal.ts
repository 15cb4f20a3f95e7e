import { quoteText } from '../value/go-text.js';
import type { NumberLiteral } from './node.js';
import { unquoteChar } from './unquote.js';

const INT64_LIMIT = 2n ** 63n;
const UINT64_LIMIT = 2n ** 64n;

/** Most numbers in templates. */
const SMALL = /^(?:0|[1-9]\d{0,14})$/;

/** A number token as all the types it fits; a text says what is wrong with it. */
export function readNumber(text: string, type: 'number' | 'complex' | 'charConstant'): NumberLiteral | string {
  if (type === 'charConstant') {
    const rune = unquoteChar(text);
    return typeof rune === 'string' ? rune : { int: BigInt(rune), uint: BigInt(rune), float: rune };
  }
  if (type === 'complex') return readComplex(text);
  if (SMALL.test(text)) return { int: BigInt(text), uint: BigInt(text), float: Number(text) };
  if (text.endsWith('i')) {
    const imaginary = parseFloat(text.slice(0, -1));
    if (imaginary !== undefined) return withSimpler(0, imaginary);
  }
  const whole = parseInteger(text);
  if (whole !== undefined) return wholeLiteral(whole, text);
  const float = parseFloat(text);
  if (float === undefined) return `illegal number syntax: ${quoteText(text)}`;
  if (!/[.eEpP]/.test(text)) return `integer overflow: ${quoteText(text)}`;
  return { float, ...integersOf(float) };
}

function wholeLiteral(whole: bigint, text: string): NumberLiteral | string {
  const isSigned = /^[+-]/.test(text);
  const int = whole >= -INT64_LIMIT && whole < INT64_LIMIT ? { int: whole } : {};
  const uint = whole >= 0n && whole < UINT64_LIMIT && (!isSigned || whole === 0n) ? { uint: whole } : {};
  // A prefix makes it no float either, so Go gives up on the syntax.
  if (!('int' in int) && !('uint' in uint))
    return `${/^[+-]?0[xXoObB]/.test(text) ? 'illegal number syntax' : 'integer overflow'}: ${quoteText(text)}`;
  return { ...int, ...uint, float: Number(whole) };
}

/** Go also takes a float that has a whole value where an integer is asked for. */
function integersOf(float: number): NumberLiteral {
  if (!Number.isInteger(float)) return {};
  const int = float >= -(2 ** 63) && float < 2 ** 63 ? { int: BigInt(float) } : {};
  return float >= 0 && float < 2 ** 64 ? { ...int, uint: BigInt(float) } : int;
}

function readComplex(text: string): NumberLiteral | string {
  const split = /^(.+?)([+-][^+-]*|[+-][^+-]*[eEpP][+-]\d+)i$/.exec(text);
  const real = parseFloat(split?.[1] ?? '');
  const imaginary = parseFloat(split?.[2] ?? '');
  return real === undefined || imaginary === undefined
    ? 'syntax error scanning complex number'
    : withSimpler(real, imaginary);
}

function withSimpler(real: number, imaginary: number): NumberLiteral {
  const complex = { real, imaginary };
  return imaginary === 0 ? { complex, float: real, ...integersOf(real) } : { complex };
}

/** Go's ParseInt with base 0, without the limit on size. */
function parseInteger(text: string): bigint | undefined {
  const match = /^([+-]?)(0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|0[0-7_]*|[1-9][\d_]*)$/.exec(text);
  if (match === null || !areUnderscoresGood(text)) return undefined;
  const digits = (match[2] ?? '').replaceAll('_', '');
  const size = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return match[1] === '-' ? -size : size;
}

function parseFloat(text: string): number | undefined {
  if (!areUnderscoresGood(text)) return undefined;
  const plain = text.replaceAll('_', '');
  const hex = /^([+-]?)0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)$/.exec(plain);
  const value = hex === null ? decimal(plain) : hexFloat(hex);
  return value === undefined || Number.isFinite(value) ? value : undefined;
}

function decimal(text: string): number | undefined {
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

function hexFloat([, sign = '', whole = '', fraction = '', power = '0']: RegExpExecArray): number | undefined {
  if (whole + fraction === '') return undefined;
  const size = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(power) - 4 * fraction.length);
  return sign === '-' ? -size : size;
}

const DIGITS = /[\da-fA-F]+(?:_[\da-fA-F]+)*/.source;
const WELL_SEPARATED = new RegExp(
  `^[+-]?(?:0[xXoObB]_?)?${DIGITS}(?:\\.(?:${DIGITS})?)?(?:[eEpP][+-]?\\d+(?:_\\d+)*)?$`,
);

/** An underscore stands between two digits, or between the base and a digit. */
function areUnderscoresGood(text: string): boolean {
  return !text.includes('_') || WELL_SEPARATED.test(text);
}
