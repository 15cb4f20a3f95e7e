/**
 * UTF-8 inside byte strings (every char code 0..255), decoded as Go does: a byte that starts no valid sequence is one
 * wrong rune of width 1.
 */
export const RUNE_ERROR = 0xfffd;
export const MAX_RUNE = 0x10ffff;

/** The rune that starts at `at`, times 8, plus its width in bytes. One number, so that loops make no garbage. */
export function decodeRune(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at);
  if (first < 0x80) return (first << 3) | 1;
  const bad = (RUNE_ERROR << 3) | 1;
  if (first < 0xc2 || first > 0xf4) return bad;
  const second = bytes.charCodeAt(at + 1);
  // charCodeAt past the end is NaN, which no test below accepts.
  if (!(second >= lowestSecond(first) && second <= highestSecond(first))) return bad;
  if (first < 0xe0) return ((((first & 0x1f) << 6) | (second & 0x3f)) << 3) | 2;
  const third = bytes.charCodeAt(at + 2);
  if (!(third >= 0x80 && third <= 0xbf)) return bad;
  if (first < 0xf0) return ((((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f)) << 3) | 3;
  const fourth = bytes.charCodeAt(at + 3);
  if (!(fourth >= 0x80 && fourth <= 0xbf)) return bad;
  return ((((first & 0x07) << 18) | ((second & 0x3f) << 12) | ((third & 0x3f) << 6) | (fourth & 0x3f)) << 3) | 4;
}

function lowestSecond(first: number): number {
  if (first === 0xe0) return 0xa0;
  return first === 0xf0 ? 0x90 : 0x80;
}

function highestSecond(first: number): number {
  if (first === 0xed) return 0x9f;
  return first === 0xf4 ? 0x8f : 0xbf;
}

export function isValidRune(rune: number): boolean {
  return rune >= 0 && rune <= MAX_RUNE && !(rune >= 0xd800 && rune <= 0xdfff);
}

/** The bytes of one rune; what is no valid rune becomes U+FFFD. */
export function encodeRune(rune: number): string {
  if (!isValidRune(rune)) return '\xef\xbf\xbd';
  if (rune < 0x80) return String.fromCharCode(rune);
  if (rune < 0x800) return String.fromCharCode(0xc0 | (rune >> 6), 0x80 | (rune & 0x3f));
  if (rune < 0x10000)
    return String.fromCharCode(0xe0 | (rune >> 12), 0x80 | ((rune >> 6) & 0x3f), 0x80 | (rune & 0x3f));
  return String.fromCharCode(
    0xf0 | (rune >> 18),
    0x80 | ((rune >> 12) & 0x3f),
    0x80 | ((rune >> 6) & 0x3f),
    0x80 | (rune & 0x3f),
  );
}

const ASCII_ONLY = /^[\x00-\x7f]*$/;

export function isAscii(bytes: string): boolean {
  return ASCII_ONLY.test(bytes);
}

export function countRunes(bytes: string): number {
  if (isAscii(bytes)) return bytes.length;
  let count = 0;
  for (let i = 0; i < bytes.length; i += decodeRune(bytes, i) & 7) count++;
  return count;
}

/** The first `count` runes. */
export function firstRunes(bytes: string, count: number): string {
  if (count >= bytes.length) return bytes;
  let i = 0;
  for (let n = 0; n < count && i < bytes.length; n++) i += decodeRune(bytes, i) & 7;
  return bytes.slice(0, i);
}
