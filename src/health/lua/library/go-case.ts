import { decodeRune, encodeRune, isAscii } from '../../../model/index.js';

/**
 * strings.ToLower and ToUpper of Go on byte strings: rune by rune, one rune for one rune, and every byte that is not
 * UTF-8 becomes U+FFFD as soon as the string is not plain ASCII.
 */
export function lowerBytes(bytes: string): string {
  return isAscii(bytes) ? bytes.toLowerCase() : mapRunes(bytes, lowerRune);
}

export function upperBytes(bytes: string): string {
  return isAscii(bytes) ? bytes.toUpperCase() : mapRunes(bytes, upperRune);
}

function mapRunes(bytes: string, change: (rune: number) => number): string {
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length;) {
    const packed = decodeRune(bytes, i);
    pieces.push(encodeRune(change(packed >> 3)));
    i += packed & 7;
  }
  return pieces.join('');
}

function lowerRune(rune: number): number {
  if (rune === 0x130) return 0x69;
  return single(String.fromCodePoint(rune).toLowerCase(), rune);
}

/** Greek letters with iota below: JavaScript makes two letters of them, Go the one that has the iota beside it. */
function upperRune(rune: number): number {
  if (rune >= 0x1f80 && rune <= 0x1fa7 && (rune & 8) === 0) return rune + 8;
  if (rune === 0x1fb3 || rune === 0x1fc3 || rune === 0x1ff3) return rune + 9;
  return single(String.fromCodePoint(rune).toUpperCase(), rune);
}

/** The only rune of a text; `otherwise` if it has grown to several. */
function single(text: string, otherwise: number): number {
  const rune = text.codePointAt(0) ?? otherwise;
  return text.length === (rune > 0xffff ? 2 : 1) ? rune : otherwise;
}
