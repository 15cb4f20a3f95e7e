import { compareText, isAscii, quoteBytes } from '../../../../model/go/index.js';

/**
 * Go strings are bytes, ours are JavaScript strings in which a byte that is no UTF-8 is a lone surrogate
 * U+DC80..U+DCFF.
 * Byte strings (one char a byte) stand between the two where bytes are counted, cut or formatted.
 */
const SURROGATE = /[\ud800-\udfff]/;
const STRAY = 0xdc00;

/** Text to byte string. */
export function toByteString(text: string): string {
  if (isAscii(text)) return text;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code < 0x80) out += String.fromCharCode(code);
    else if (code < 0x800) out += String.fromCharCode(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
    else if (code >= STRAY + 0x80 && code <= STRAY + 0xff) out += String.fromCharCode(code - STRAY);
    else if (code < 0x10000)
      out += String.fromCharCode(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else {
      out += String.fromCharCode(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 0x3f),
        0x80 | ((code >> 6) & 0x3f),
        0x80 | (code & 0x3f),
      );
      i++;
    }
  }
  return out;
}

/** Byte string to text; bytes that are no UTF-8 become lone surrogates. */
export function fromByteString(bytes: string): string {
  return isAscii(bytes) ? bytes : fromBytes(Buffer.from(bytes, 'latin1'));
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function fromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return decodeStray(bytes);
  }
}

function decodeStray(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < bytes.length; ) {
    const width = sequenceLength(bytes, i);
    if (width === 0) {
      out += String.fromCharCode(STRAY + (bytes[i] ?? 0));
      i++;
    } else {
      out += strict.decode(bytes.subarray(i, i + width));
      i += width;
    }
  }
  return out;
}

/** Length of the valid sequence that starts here; 0 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const shortWidth = first >= 0xe0 ? 3 : 2;
  const width = first >= 0xf0 ? 4 : shortWidth;
  if (first < 0xc2 || first > 0xf4 || at + width > bytes.length) return 0;
  for (let i = 1; i < width; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  if (
    (first === 0xe0 && second < 0xa0) ||
    (first === 0xed && second > 0x9f) ||
    (first === 0xf0 && second < 0x90) ||
    (first === 0xf4 && second > 0x8f)
  )
    return 0;
  return width;
}

export function toBytes(text: string): Uint8Array {
  return SURROGATE.test(text) ? Buffer.from(toByteString(text), 'latin1') : Buffer.from(text, 'utf8');
}

/** Length in bytes, as Go's len. */
export function textLength(text: string): number {
  if (isAscii(text)) return text.length;
  return SURROGATE.test(text) ? toByteString(text).length : Buffer.byteLength(text);
}

/** In Go's quotes (%q), at most `most` runes of it. */
export function quoteText(text: string, most?: number): string {
  const kept = most === undefined ? text : Array.from(text).slice(0, most).join('');
  return fromByteString(quoteBytes(toByteString(kept), false));
}

/** Order by bytes. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  return compareText(toByteString(a), toByteString(b));
}

/** Keys of a map in the order in which Go ranges over them and prints them. */
export function sortedKeys(object: object): string[] {
  const keys = Object.keys(object).sort();
  return keys.some((key) => SURROGATE.test(key)) ? keys.sort(compareBytes) : keys;
}
