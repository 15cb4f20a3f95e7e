import { HASH, NEWLINE, SPACE, TAB, isBreak, type Reader } from './reader.js';

/** `|` or `>` with its lines. `parent` is the column of the collection around it, -1 for none. */
export function blockScalar(reader: Reader, parent: number): string {
  const literal = reader.text.charAt(reader.pos++) === '|';
  const { chomp, increment } = header(reader);
  const indent = increment > 0 ? Math.max(parent, 0) + increment : findIndent(reader, parent);
  return literal ? literalLines(reader, indent, chomp) : foldedLines(reader, indent, chomp);
}

type Chomp = '' | '+' | '-';

function header(reader: Reader): { chomp: Chomp; increment: number } {
  const { text } = reader;
  const start = reader.pos;
  let chomp: Chomp = '';
  let increment = 0;
  for (;;) {
    const char = text.charAt(reader.pos);
    if (chomp === '' && (char === '+' || char === '-')) chomp = char;
    else if (increment === 0 && char >= '1' && char <= '9') increment = Number(char);
    else if (increment === 0 && char === '0') reader.fail('found an indentation indicator equal to 0');
    else break;
    reader.pos++;
  }
  let code = text.charCodeAt(reader.pos);
  while (code === SPACE || code === TAB) code = text.charCodeAt(++reader.pos);
  if (code === HASH) code = reader.skipComment();
  if (code !== 0 && !isBreak(code)) reader.fail('did not find expected comment or line break', start);
  if (code !== 0) reader.lineStart = ++reader.pos;
  return { chomp, increment };
}

/** The indentation of the first line with text; at least one more than the parent's. */
function findIndent(reader: Reader, parent: number): number {
  const { text } = reader;
  let widest = 0;
  let lineStart = reader.pos;
  for (let pos = reader.pos; ; pos++) {
    const code = text.charCodeAt(pos);
    if (code === SPACE) continue;
    widest = Math.max(widest, pos - lineStart);
    if (code === TAB) reader.fail('found a tab character where an indentation space is expected', pos);
    if (!isBreak(code)) return Math.max(widest, parent + 1, 1);
    lineStart = pos + 1;
  }
}

/** Passes empty lines; gives their breaks and stops at a line that has text, or that is indented less. */
function emptyLines(reader: Reader, indent: number): string {
  const { text } = reader;
  let breaks = '';
  for (;;) {
    let pos = reader.pos;
    while (pos - reader.lineStart < indent && text.charCodeAt(pos) === SPACE) pos++;
    const code = text.charCodeAt(pos);
    if (code === TAB && pos - reader.lineStart < indent) {
      reader.fail('found a tab character where an indentation space is expected', pos);
    }
    if (!isBreak(code)) {
      if (pos - reader.lineStart === indent) reader.pos = pos;
      return breaks;
    }
    breaks += text.charAt(pos);
    reader.lineStart = reader.pos = pos + 1;
  }
}

/** The place is at the first character of a line of this scalar. */
function atText(reader: Reader, indent: number): boolean {
  return reader.pos - reader.lineStart === indent && reader.text.charCodeAt(reader.pos) !== 0;
}

/** Passes the rest of a line and its break; gives the text, and the break in `lastBreak`. */
function restOfLine(reader: Reader): string {
  const start = reader.pos;
  const { text } = reader;
  let code = text.charCodeAt(reader.pos);
  while (code !== 0 && !isBreak(code)) code = text.charCodeAt(++reader.pos);
  const line = text.slice(start, reader.pos);
  if (code !== 0) reader.lineStart = ++reader.pos;
  return line;
}

function breakBefore(reader: Reader): string {
  const code = reader.text.charCodeAt(reader.pos - 1);
  return reader.pos === reader.lineStart && isBreak(code) ? reader.text.charAt(reader.pos - 1) : '';
}

function tail(chomp: Chomp, last: string, breaks: string): string {
  if (chomp === '-') return '';
  return chomp === '+' ? last + breaks : last;
}

function literalLines(reader: Reader, indent: number, chomp: Chomp): string {
  let value = '';
  let last = '';
  let breaks = emptyLines(reader, indent);
  while (atText(reader, indent)) {
    value += last + breaks + restOfLine(reader);
    last = breakBefore(reader);
    breaks = emptyLines(reader, indent);
  }
  return value + tail(chomp, last, breaks);
}

function foldedLines(reader: Reader, indent: number, chomp: Chomp): string {
  let value = '';
  let last = '';
  let breaks = emptyLines(reader, indent);
  let wasIndented = false;
  while (atText(reader, indent)) {
    const code = reader.text.charCodeAt(reader.pos);
    const isIndented = code === SPACE || code === TAB;
    // A single break between two lines of ordinary text becomes a space; around indented lines it stays.
    if (wasIndented || isIndented || last.charCodeAt(0) !== NEWLINE) value += last;
    else if (breaks === '') value += ' ';
    value += breaks + restOfLine(reader);
    wasIndented = isIndented;
    last = breakBefore(reader);
    breaks = emptyLines(reader, indent);
  }
  return value + tail(chomp, last, breaks);
}
