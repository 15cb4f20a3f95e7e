/**
 * Lua strings are bytes, JSON strings are text. Inside the engine a byte is a character with code 0..255; text goes
 * over into UTF-8 bytes and back. Nearly every string is ASCII, where both are the same string.
 */

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

export function toBytes(text: string): string {
  return isAscii(text) ? text : encode(text);
}

export function toText(bytes: string): string {
  return isAscii(bytes) ? bytes : decode(bytes);
}

function encode(text: string): string {
  let out = '';
  for (const char of text) {
    let code = char.codePointAt(0) ?? 0;
    // A lone surrogate cannot be written in UTF-8; Go reads it as the replacement character.
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) out += char;
    else if (code < 0x800) out += String.fromCharCode(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
    else if (code < 0x10000)
      out += String.fromCharCode(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else
      out += String.fromCharCode(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 0x3f),
        0x80 | ((code >> 6) & 0x3f),
        0x80 | (code & 0x3f),
      );
  }
  return out;
}

/** As Go decodes: every byte that is not part of a valid sequence is one replacement character. */
function decode(bytes: string): string {
  let out = '';
  for (let i = 0; i < bytes.length; ) {
    const size = sequenceAt(bytes, i);
    if (size === 0) out += '\ufffd';
    else out += String.fromCodePoint(codePointAt(bytes, i, size));
    i += size === 0 ? 1 : size;
  }
  return out;
}

/** Length of the valid UTF-8 sequence at a place, 0 if there is none. */
function sequenceAt(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at);
  if (first < 0x80) return 1;
  const size = sizeOf(first);
  if (at + size > bytes.length) return 0;
  for (let i = 1; i < size; i++) if ((bytes.charCodeAt(at + i) & 0xc0) !== 0x80) return 0;
  const second = bytes.charCodeAt(at + 1);
  const bad =
    (first === 0xe0 && second < 0xa0) ||
    (first === 0xed && second > 0x9f) ||
    (first === 0xf0 && second < 0x90) ||
    (first === 0xf4 && second > 0x8f);
  return bad ? 0 : size;
}

/** Length of the sequence that a byte from 0x80 starts, 0 if it starts none. */
function sizeOf(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function codePointAt(bytes: string, at: number, size: number): number {
  const first = bytes.charCodeAt(at);
  if (size === 1) return first;
  let code = first & (0xff >> (size + 1));
  for (let i = 1; i < size; i++) code = (code << 6) | (bytes.charCodeAt(at + i) & 0x3f);
  return code;
}
