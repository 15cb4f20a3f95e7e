import { isPrintable } from './printable.js';
import { decodeRune, encodeRune, isValidRune, RUNE_ERROR } from './utf8.js';

/** Byte strings in Go's quotes (%q). The model's quoteGo works on text; here the bytes need not be valid UTF-8. */

const SHORT: ReadonlyMap<number, string> = new Map([
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x0c, '\\f'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
  [0x0b, '\\v'],
]);
export function quoteBytes(bytes: string, asciiOnly: boolean): string {
  let out = '"';
  for (let i = 0; i < bytes.length; ) {
    const packed = decodeRune(bytes, i);
    const width = packed & 7;
    const rune = packed >> 3;
    if (width === 1 && rune === RUNE_ERROR) out += hex('\\x', bytes.charCodeAt(i), 2);
    else out += escapeRune(rune, 0x22, asciiOnly);
    i += width;
  }
  return `${out}"`;
}

/** A rune in single quotes. */
export function quoteRune(rune: number, asciiOnly: boolean): string {
  return `'${escapeRune(isValidRune(rune) ? rune : RUNE_ERROR, 0x27, asciiOnly)}'`;
}

function escapeRune(rune: number, quote: number, asciiOnly: boolean): string {
  if (rune === quote || rune === 0x5c) return `\\${String.fromCharCode(rune)}`;
  if ((rune < 0x80 || !asciiOnly) && isPrintable(rune)) return encodeRune(rune);
  const short = SHORT.get(rune);
  if (short !== undefined) return short;
  if (rune < 0x20 || rune === 0x7f) return hex('\\x', rune, 2);
  return rune < 0x10000 ? hex('\\u', rune, 4) : hex('\\U', rune, 8);
}

function hex(prefix: string, value: number, width: number): string {
  return prefix + value.toString(16).padStart(width, '0');
}

/** Whether the bytes can stand between backquotes unchanged. */
export function canBackquote(bytes: string): boolean {
  for (let i = 0; i < bytes.length; ) {
    const packed = decodeRune(bytes, i);
    const rune = packed >> 3;
    i += packed & 7;
    if ((packed & 7) > 1) {
      if (rune === 0xfeff) return false;
    } else if (rune === RUNE_ERROR || (rune < 0x20 && rune !== 0x09) || rune === 0x60 || rune === 0x7f) return false;
  }
  return true;
}
