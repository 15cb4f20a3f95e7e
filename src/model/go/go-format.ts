import { isPrintable } from './printable.js';
import { own, type Json } from '../json/index.js';

/**
 * Text as Go prints it: sort order, %q and %v. Messages of the Kubernetes API and canonical forms depend on it.
 */

/** Order of two strings by UTF-8 bytes, as Go compares them; JavaScript's own order differs beyond the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points above U+FFFF, so they sort after every other unit.
    const xHigh = x >= 0xd800 && x <= 0xdfff;
    const yHigh = y >= 0xd800 && y <= 0xdfff;
    if (xHigh !== yHigh) return xHigh ? 1 : -1;
    return x < y ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);
const PLAIN = /^[ !#-[\]-~]*$/;

/** A string in double quotes with Go's escapes (%q). */
export function quoteGo(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text)
    out += SHORT_ESCAPES.get(char) ?? (isPrintable(char.codePointAt(0) ?? 0) ? char : escapeRune(char));
  return `${out}"`;
}

function escapeRune(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  // A lone surrogate cannot exist in Go's UTF-8; it arrives there as the replacement character.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A float64 as Go's %v prints it: exponent form below 1e-4 and from 1e6, at least two exponent digits. */
export function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A JSON number as Go's %v prints a decoded one: whole numbers are int64 there, so they never take an exponent. */
export function formatGoNumber(value: number | bigint): string {
  if (typeof value === 'bigint') return value.toString();
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : formatGoFloat(value);
}

/** A JSON value as Go's %v prints a decoded one: `map[a:1 b:[x y]]`, keys in byte order, null as `<nil>`. */
export function formatGoValue(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return formatGoNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(' ')}]`;
  const keys = Object.keys(value).sort(compareText);
  return `map[${keys.map((key) => `${key}:${formatGoValue(own(value, key))}`).join(' ')}]`;
}

/** Quotes as Go's time package does in its errors: every byte that is not printable ASCII becomes \\xNN. */
export function quoteGoTime(text: string): string {
  let out = '"';
  for (const byte of new TextEncoder().encode(text)) {
    if (byte === 0x22 || byte === 0x5c) out += '\\';
    out += byte < 0x20 || byte >= 0x80 ? `\\x${byte.toString(16).padStart(2, '0')}` : String.fromCharCode(byte);
  }
  return `${out}"`;
}
