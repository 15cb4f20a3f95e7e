import { isBreak } from '../../../model/yaml/index.js';
import { NEWLINE, SPACE, TAB, type Scanner } from './scanner.js';

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
    // In a folded scalar a single break between two lines of ordinary text becomes a space; around indented lines it
    // stays.
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
  if (chomp === '-') return value;
  return value + (chomp === '+' ? last + breaks : last);
}

/** Passes empty lines; gives their breaks and stops at a line that has text, or that is indented less. */
function emptyLines(scanner: Scanner, indent: number): string {
  let breaks = '';
  for (;;) {
    let { pos } = scanner;
    while (pos - scanner.lineStart < indent && scanner.text.charCodeAt(pos) === SPACE) pos++;
    const code = scanner.text.charCodeAt(pos);
    if (code === TAB && pos - scanner.lineStart < indent)
      scanner.fail('found a tab character where an indentation space is expected', pos);
    if (!isBreak(code)) {
      if (pos - scanner.lineStart === indent) scanner.pos = pos;
      return breaks;
    }
    breaks += scanner.text.charAt(pos);
    scanner.lineStart = scanner.pos = pos + 1;
  }
}
