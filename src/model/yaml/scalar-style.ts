import { resolvePlain } from './resolve.js';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
/** Words and names: nothing in them can mean anything to YAML, unless the whole is a word of its own. */
const SIMPLE = /^[A-Za-z/][A-Za-z0-9_/.-]*$/;
const LEADING = '#,[]{}&*!|>\'"%@`';

/** Characters that go-yaml writes only as escapes. */
const SPECIAL = /[\0-\x09\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff]|[\ud800-\udfff]/;
const BREAK = /[\n\u2028\u2029]/;

/**
 * The style in which go-yaml v2 writes a string. `simpleKey`: as a key without `? `. Go writes the key `<<` plain,
 * which no reader gives back as a key; we quote it.
 */
export function styleOf(text: string, simpleKey: boolean): ScalarStyle {
  if (simpleKey && text === '<<') return 'double';
  const resolvesToString = isString(text);
  if (resolvesToString && SIMPLE.test(text)) return 'plain';
  if (text === '') return 'double';
  const isSpecial = SPECIAL.test(text);
  const isMultiline = BREAK.test(text);
  const spaceBeforeBreak = isMultiline && / [\n\u2028\u2029]/.test(text);
  if (text.includes('\n')) {
    return isSpecial || spaceBeforeBreak || text.endsWith(' ') || simpleKey ? 'double' : 'literal';
  }
  if (!resolvesToString || isSpecial || spaceBeforeBreak) return 'double';
  if (isMultiline) return /[\u2028\u2029] /.test(text) || simpleKey ? 'double' : 'single';
  return mayBePlain(text) ? 'plain' : 'single';
}

/** Whether the text, unquoted, is read as a string. Other readers take base 60 for numbers. */
function isString(text: string): boolean {
  return resolvePlain(text, 'kubernetes') === undefined && !(text.includes(':') && BASE_60.test(text));
}

function mayBePlain(text: string): boolean {
  if (text.startsWith(' ') || text.endsWith(' ') || text.startsWith('---') || text.startsWith('...')) return false;
  if (LEADING.includes(text.charAt(0))) return false;
  if (/^[-?:](?: |$)/.test(text)) return false;
  return !/:(?: |$)| #/.test(text);
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0, '\\0'],
  [7, '\\a'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [11, '\\v'],
  [12, '\\f'],
  [13, '\\r'],
  [27, '\\e'],
  [34, '\\"'],
  [92, '\\\\'],
  [0x85, '\\N'],
  [0xa0, '\\_'],
  [0x2028, '\\L'],
  [0x2029, '\\P'],
]);

/** One character as it stands between double quotes. */
export function escapeChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const mustEscape =
    code === 34 || code === 92 || code === 10 || code === 0x2028 || code === 0x2029 || SPECIAL.test(char);
  return mustEscape ? hexEscape(char) : char;
}

/** The escape of any character, also of one that needs none. */
export function hexEscape(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const short = ESCAPES.get(code);
  if (short !== undefined) return short;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
