import { isAscii, lowerRune, titleRune, upperRune } from '../../../../model/go/index.js';
import { runesText } from './broken-text.js';

/** Single characters (runes) as Go's unicode and strings packages see them. */
const SPACE = /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;
const LETTER_OR_DIGIT = /^[\p{L}\p{Nd}]$/u;
const UPPER = /^\p{Lu}$/u;
const LOWER = /^\p{Ll}$/u;
const TITLE = /^\p{Lt}$/u;

export function isSpace(char: string): boolean {
  return SPACE.test(char);
}

export function isUpper(char: string): boolean {
  return UPPER.test(char);
}

export function toLower(char: string): string {
  return String.fromCodePoint(lowerRune(char.codePointAt(0) ?? 0));
}

export function toUpper(char: string): string {
  return String.fromCodePoint(upperRune(char.codePointAt(0) ?? 0));
}

export function toTitle(char: string): string {
  return String.fromCodePoint(titleRune(char.codePointAt(0) ?? 0));
}

export function lowerText(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapRunes(text, toLower);
}

export function upperText(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapRunes(text, toUpper);
}

function mapRunes(text: string, change: (char: string) => string): string {
  return Array.from(runesText(text), change).join('');
}

/** strings.Title: the first letter of each word, where a word is what letters, digits and underscores make. */
export function titleText(text: string): string {
  let before = ' ';
  return mapRunes(text, (char) => {
    const changed = isSeparator(before) ? toTitle(char) : char;
    before = char;
    return changed;
  });
}

function isSeparator(char: string): boolean {
  if (/^[0-9A-Za-z_]$/.test(char)) return false;
  if (char.charCodeAt(0) <= 0x7f) return true;
  return !LETTER_OR_DIGIT.test(char) && isSpace(char);
}

/** The first letter of each word in lower case; words are what stands between spaces. */
export function untitleText(text: string): string {
  let atStart = true;
  return mapRunes(text, (char) => {
    if (isSpace(char)) {
      atStart = true;
      return char;
    }
    const changed = atStart ? toLower(char) : char;
    atStart = false;
    return changed;
  });
}

/** Upper to lower and lower to upper; a lower letter after a space becomes title case. */
export function swapCase(text: string): string {
  let afterSpace = true;
  return mapRunes(text, (char) => {
    if (UPPER.test(char) || TITLE.test(char)) {
      afterSpace = false;
      return toLower(char);
    }
    if (LOWER.test(char)) {
      const changed = afterSpace ? toTitle(char) : toUpper(char);
      afterSpace = false;
      return changed;
    }
    afterSpace = isSpace(char);
    return char;
  });
}

export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charAt(start))) start++;
  while (end > start && isSpace(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** strings.Trim: every character of the set goes from both ends. Wrong bytes are all alike. */
export function trimSet(text: string, set: string): string {
  if (text === '' || set === '') return text;
  const members = new Set(runesText(set));
  const chars = Array.from(text);
  const isMember = (char: string | undefined): boolean => char !== undefined && members.has(runesText(char));
  let start = 0;
  let end = chars.length;
  while (start < end && isMember(chars[start])) start++;
  while (end > start && isMember(chars[end - 1])) end--;
  return chars.slice(start, end).join('');
}
