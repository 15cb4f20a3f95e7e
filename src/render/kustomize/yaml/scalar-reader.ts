import { COLON, HASH, NEWLINE, SPACE, TAB, isBlank, isBreak, type Scanner } from './scanner.js';

/** `,`, `?`, `[`, `]`, `{` and `}` end a plain scalar inside brackets. */
function isFlowIndicator(code: number): boolean {
  return code === 44 || code === 63 || code === 91 || code === 93 || code === 123 || code === 125;
}

/** Where the plain text from `from` ends on its line: after its last character that is not blank. */
function plainEnd(text: string, from: number, flow: boolean): number {
  let end = from;
  for (let pos = from; ; pos++) {
    const code = text.charCodeAt(pos);
    if (code === SPACE || code === TAB) continue;
    if (code === COLON) {
      if (isBlank(text.charCodeAt(pos + 1))) return end;
    } else if (code === HASH) {
      if (pos > end || pos === from) return end;
    } else if (code === 0 || isBreak(code) || (flow && isFlowIndicator(code))) return end;
    end = pos + 1;
  }
}

/** A plain scalar, over several lines where they are indented at least to column `indent`. */
export function plainScalar(scanner: Scanner, indent: number, flow: boolean): string {
  const { text } = scanner;
  const start = scanner.pos;
  scanner.pos = plainEnd(text, start, flow);
  let value = text.slice(start, scanner.pos);
  for (;;) {
    const { pos, lineStart } = scanner;
    const breaks = plainBreaks(scanner, indent, flow);
    const next = breaks === '' ? pos : plainEnd(text, scanner.pos, flow);
    if (breaks === '' || next === scanner.pos) {
      scanner.passed = scanner.pos;
      scanner.pos = pos;
      scanner.lineStart = lineStart;
      return value;
    }
    value += fold(breaks) + text.slice(scanner.pos, next);
    scanner.pos = next;
  }
}

/** Passes blanks and breaks towards the next line of a plain scalar; '' when there is none. */
function plainBreaks(scanner: Scanner, indent: number, flow: boolean): string {
  let breaks = '';
  for (; ; scanner.pos++) {
    const code = scanner.code();
    if (isBreak(code)) {
      breaks += scanner.text.charAt(scanner.pos);
      scanner.lineStart = scanner.pos + 1;
    } else if (code === TAB && breaks !== '' && scanner.column < indent) {
      scanner.fail('found a tab character that violates indentation');
    } else if (code !== SPACE && code !== TAB) break;
  }
  if (breaks === '' || (!flow && scanner.column < indent)) return '';
  const code = scanner.code();
  return code === 0 || code === HASH || scanner.atMarker() ? '' : breaks;
}

/** One newline between lines becomes a space; of more, the first goes. */
function fold(breaks: string): string {
  if (!breaks.startsWith('\n')) return breaks;
  return breaks.length === 1 ? ' ' : breaks.slice(1);
}

/** `'…'` or `"…"`. */
export function quotedScalar(scanner: Scanner, quote: 34 | 39): string {
  const { text } = scanner;
  const start = scanner.pos++;
  let value = '';
  let from = scanner.pos;
  for (;;) {
    const code = scanner.code();
    if (code === quote) {
      value += text.slice(from, scanner.pos++);
      if (quote === 34 || scanner.code() !== 39) return value;
      from = scanner.pos++;
    } else if (code === 92 && quote === 34) {
      value += text.slice(from, scanner.pos) + escaped(scanner);
      from = scanner.pos;
    } else if (code === 0) {
      scanner.fail('found unexpected end of stream', start);
    } else if (isBreak(code)) {
      value += withoutBlanks(text, from, scanner.pos) + quotedBreaks(scanner, false);
      from = scanner.pos;
    } else scanner.pos++;
  }
}

function withoutBlanks(text: string, from: number, to: number): string {
  let end = to;
  while (end > from && (text.charCodeAt(end - 1) === SPACE || text.charCodeAt(end - 1) === TAB)) end--;
  return text.slice(from, end);
}

/** Passes breaks and the blanks around them inside quotes; gives what they fold to. */
function quotedBreaks(scanner: Scanner, afterBackslash: boolean): string {
  let breaks = '';
  for (; ; scanner.pos++) {
    const code = scanner.code();
    if (isBreak(code)) {
      breaks += scanner.text.charAt(scanner.pos);
      scanner.lineStart = scanner.pos + 1;
    } else if (code !== SPACE && code !== TAB) break;
  }
  if (scanner.atMarker()) scanner.fail('found unexpected document indicator');
  return afterBackslash ? breaks : fold(breaks);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'], ['a', '\x07'], ['b', '\b'], ['t', '\t'], ['\t', '\t'], ['n', '\n'], ['v', '\v'], ['f', '\f'], ['r', '\r'], ['e', '\x1b'],
  [' ', ' '], ['"', '"'], ["'", "'"], ['\\', '\\'], ['N', '\x85'], ['_', '\xa0'], ['L', '\u2028'], ['P', '\u2029'],
]);
const HEX_LENGTHS: ReadonlyMap<string, number> = new Map([['x', 2], ['u', 4], ['U', 8]]);

function escaped(scanner: Scanner): string {
  const char = scanner.text.charAt(scanner.pos + 1);
  if (isBreak(char.charCodeAt(0))) {
    scanner.lineStart = scanner.pos += 2;
    return quotedBreaks(scanner, true);
  }
  const length = HEX_LENGTHS.get(char);
  if (length !== undefined) return unicode(scanner, length);
  const value = ESCAPES.get(char);
  if (value === undefined) scanner.fail('found unknown escape character');
  scanner.pos += 2;
  return value;
}

function unicode(scanner: Scanner, length: number): string {
  const digits = scanner.text.slice(scanner.pos + 2, scanner.pos + 2 + length);
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits)) scanner.fail('did not find expected hexdecimal number');
  const code = parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) scanner.fail('found invalid Unicode character escape code');
  scanner.pos += 2 + length;
  return String.fromCodePoint(code);
}

type Chomp = '' | '+' | '-';

/** `|` or `>` with its lines. `parent` is the column of the collection around it, -1 for none. */
export function blockScalar(scanner: Scanner, parent: number): string {
  const literal = scanner.text.charAt(scanner.pos++) === '|';
  const { chomp, increment } = header(scanner);
  const indent = increment > 0 ? Math.max(parent, 0) + increment : findIndent(scanner, parent);
  return blockLines(scanner, indent, chomp, literal);
}

function header(scanner: Scanner): { chomp: Chomp; increment: number } {
  const start = scanner.pos;
  let chomp: Chomp = '';
  let increment = 0;
  for (; ; scanner.pos++) {
    const char = scanner.text.charAt(scanner.pos);
    if (chomp === '' && (char === '+' || char === '-')) chomp = char;
    else if (increment === 0 && char >= '1' && char <= '9') increment = Number(char);
    else if (increment === 0 && char === '0') scanner.fail('found an indentation indicator equal to 0');
    else break;
  }
  scanner.endLine(start);
  return { chomp, increment };
}

/** The indentation of the first line with text; at least one more than the parent's. */
function findIndent(scanner: Scanner, parent: number): number {
  let widest = 0;
  let lineStart = scanner.pos;
  for (let { pos } = scanner; ; pos++) {
    const code = scanner.text.charCodeAt(pos);
    if (code === SPACE) continue;
    widest = Math.max(widest, pos - lineStart);
    if (code === TAB) scanner.fail('found a tab character where an indentation space is expected', pos);
    if (!isBreak(code)) return Math.max(widest, parent + 1, 1);
    lineStart = pos + 1;
  }
}

function blockLines(scanner: Scanner, indent: number, chomp: Chomp, literal: boolean): string {
  let value = '';
  let last = '';
  let wasIndented = false;
  let breaks = emptyLines(scanner, indent);
  while (scanner.column === indent && scanner.code() !== 0) {
    const isIndented = scanner.code() === SPACE || scanner.code() === TAB;
    // In a folded scalar a single break between two lines of ordinary text becomes a space; around indented lines it stays.
    if (literal || wasIndented || isIndented || last.charCodeAt(0) !== NEWLINE) value += last;
    else if (breaks === '') value += ' ';
    const start = scanner.pos;
    while (scanner.code() !== 0 && !isBreak(scanner.code())) scanner.pos++;
    value += breaks + scanner.text.slice(start, scanner.pos);
    last = scanner.code() === 0 ? '' : scanner.text.charAt(scanner.pos);
    if (last !== '') scanner.lineStart = ++scanner.pos;
    wasIndented = isIndented;
    breaks = emptyLines(scanner, indent);
  }
  return value + (chomp === '-' ? '' : chomp === '+' ? last + breaks : last);
}

/** Passes empty lines; gives their breaks and stops at a line that has text, or that is indented less. */
function emptyLines(scanner: Scanner, indent: number): string {
  let breaks = '';
  for (;;) {
    let { pos } = scanner;
    while (pos - scanner.lineStart < indent && scanner.text.charCodeAt(pos) === SPACE) pos++;
    const code = scanner.text.charCodeAt(pos);
    if (code === TAB && pos - scanner.lineStart < indent) scanner.fail('found a tab character where an indentation space is expected', pos);
    if (!isBreak(code)) {
      if (pos - scanner.lineStart === indent) scanner.pos = pos;
      return breaks;
    }
    breaks += scanner.text.charAt(pos);
    scanner.lineStart = scanner.pos = pos + 1;
  }
}
