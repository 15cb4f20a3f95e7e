import { COLON, HASH, SPACE, TAB, isBlank, isBreak } from './reader.js';

/** A place in a text that ends with NUL. Every reader of YAML has one: how scalars are written is the same for all. */
export interface ScalarCursor {
  readonly text: string;
  readonly column: number;
  pos: number;
  lineStart: number;
  /** Up to here a plain scalar looked for its next line. */
  passed: number;
  atMarker(): boolean;
  fail(problem: string, at?: number): never;
  /** The same for what is wrong inside quotes. */
  failInQuotes(problem: string, at?: number): never;
}

/** `,`, `?`, `[`, `]`, `{` and `}` end a plain scalar in flow context. */
function isFlowIndicator(code: number): boolean {
  return code === 44 || code === 63 || code === 91 || code === 93 || code === 123 || code === 125;
}

/** Where the plain text that starts at `from` ends on its line: after its last character that is not blank. */
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
export function plainScalar(reader: ScalarCursor, indent: number, flow: boolean): string {
  const { text } = reader;
  const start = reader.pos;
  reader.pos = plainEnd(text, start, flow);
  let value = text.slice(start, reader.pos);
  for (;;) {
    const end = reader.pos;
    const lineStart = reader.lineStart;
    const breaks = plainBreaks(reader, indent, flow);
    const next = breaks === '' ? end : plainEnd(text, reader.pos, flow);
    if (breaks === '' || next === reader.pos) {
      reader.passed = reader.pos;
      reader.pos = end;
      reader.lineStart = lineStart;
      return value;
    }
    value += fold(breaks) + text.slice(reader.pos, next);
    reader.pos = next;
  }
}

/** Passes blanks and line breaks towards the next line of a plain scalar; '' when there is none. */
function plainBreaks(reader: ScalarCursor, indent: number, flow: boolean): string {
  const { text } = reader;
  let breaks = '';
  for (; ; reader.pos++) {
    const code = text.charCodeAt(reader.pos);
    if (isBreak(code)) {
      breaks += text.charAt(reader.pos);
      reader.lineStart = reader.pos + 1;
    } else if (code === TAB && breaks !== '' && reader.column < indent) {
      reader.fail('found a tab character that violates indentation');
    } else if (code !== SPACE && code !== TAB) break;
  }
  if (breaks === '' || (!flow && reader.column < indent)) return '';
  const code = text.charCodeAt(reader.pos);
  return code === 0 || code === HASH || reader.atMarker() ? '' : breaks;
}

/** One newline between lines becomes a space; of more, the first goes. The Unicode separators stay. */
function fold(breaks: string): string {
  if (!breaks.startsWith('\n')) return breaks;
  return breaks.length === 1 ? ' ' : breaks.slice(1);
}

export function singleQuoted(reader: ScalarCursor): string {
  const { text } = reader;
  const start = reader.pos++;
  let value = '';
  let from = reader.pos;
  for (;;) {
    const code = text.charCodeAt(reader.pos);
    if (code === 39) {
      value += text.slice(from, reader.pos++);
      if (text.charCodeAt(reader.pos) !== 39) return value;
      from = reader.pos++;
    } else if (code === 0) {
      reader.failInQuotes('found unexpected end of stream', start);
    } else if (isBreak(code)) {
      value += trimmed(text, from, reader.pos) + quotedBreaks(reader, false);
      from = reader.pos;
    } else reader.pos++;
  }
}

/** The text of a line without the blanks at its end. */
function trimmed(text: string, from: number, to: number): string {
  let end = to;
  while (end > from && (text.charCodeAt(end - 1) === SPACE || text.charCodeAt(end - 1) === TAB)) end--;
  return text.slice(from, end);
}

/** Passes line breaks and the blanks around them inside quotes; gives what they fold to. */
function quotedBreaks(reader: ScalarCursor, escaped: boolean): string {
  const { text } = reader;
  let breaks = '';
  for (; ; reader.pos++) {
    const code = text.charCodeAt(reader.pos);
    if (isBreak(code)) {
      breaks += text.charAt(reader.pos);
      reader.lineStart = reader.pos + 1;
    } else if (code !== SPACE && code !== TAB) break;
  }
  if (reader.atMarker()) reader.failInQuotes('found unexpected document indicator');
  return escaped ? breaks : fold(breaks);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const HEX_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

export function doubleQuoted(reader: ScalarCursor): string {
  const { text } = reader;
  const start = reader.pos++;
  let value = '';
  let from = reader.pos;
  for (;;) {
    const code = text.charCodeAt(reader.pos);
    if (code === 34) return value + text.slice(from, reader.pos++);
    if (code === 92) {
      value += text.slice(from, reader.pos) + escape(reader);
      from = reader.pos;
    } else if (code === 0) {
      reader.failInQuotes('found unexpected end of stream', start);
    } else if (isBreak(code)) {
      value += trimmed(text, from, reader.pos) + quotedBreaks(reader, false);
      from = reader.pos;
    } else reader.pos++;
  }
}

/** Passes a backslash and what it stands for. */
function escape(reader: ScalarCursor): string {
  const char = reader.text.charAt(reader.pos + 1);
  if (isBreak(char.charCodeAt(0))) {
    reader.lineStart = reader.pos += 2;
    return quotedBreaks(reader, true);
  }
  const length = HEX_LENGTHS[char];
  if (length !== undefined) return unicodeEscape(reader, length);
  const value = ESCAPES[char];
  if (value === undefined) reader.fail('found unknown escape character');
  reader.pos += 2;
  return value;
}

function unicodeEscape(reader: ScalarCursor, length: number): string {
  const digits = reader.text.slice(reader.pos + 2, reader.pos + 2 + length);
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits)) reader.fail('did not find expected hexdecimal number');
  const code = parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) reader.fail('found invalid Unicode character escape code');
  reader.pos += 2 + length;
  return String.fromCodePoint(code);
}
