/**
 * Upper, lower and title case of single runes as Go's unicode package has them: always one rune for one rune, where
 * JavaScript may give several.
 */
export function lowerRune(rune: number): number {
  if (rune === 0x130) return 0x69;
  return single(String.fromCodePoint(rune).toLowerCase(), rune);
}

/** Greek letters with iota below: JavaScript makes two letters of them, Go the one that has the iota beside it. */
export function upperRune(rune: number): number {
  if (rune >= 0x1f80 && rune <= 0x1fa7 && (rune & 8) === 0) return rune + 8;
  if (rune === 0x1fb3 || rune === 0x1fc3 || rune === 0x1ff3) return rune + 9;
  return single(String.fromCodePoint(rune).toUpperCase(), rune);
}

/** Differs from upper case for the letters that are two in one, and for Georgian, which has no title case. */
export function titleRune(rune: number): number {
  if (rune >= 0x1c4 && rune <= 0x1cc) return 0x1c5 + Math.floor((rune - 0x1c4) / 3) * 3;
  if (rune >= 0x1f1 && rune <= 0x1f3) return 0x1f2;
  return rune >= 0x10d0 && rune <= 0x10ff ? rune : upperRune(rune);
}

/** The only rune of a text; `otherwise` if it has grown to several. */
function single(text: string, otherwise: number): number {
  const rune = text.codePointAt(0) ?? otherwise;
  return text.length === (rune > 0xffff ? 2 : 1) ? rune : otherwise;
}
