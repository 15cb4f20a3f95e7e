import { decodeRune, encodeRune, isAscii, lowerRune, upperRune } from '../../../model/go/index.js';

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
  for (let i = 0; i < bytes.length; ) {
    const packed = decodeRune(bytes, i);
    pieces.push(encodeRune(change(packed >> 3)));
    i += packed & 7;
  }
  return pieces.join('');
}
