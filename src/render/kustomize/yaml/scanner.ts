import { Fault } from '../../../model/faults/index.js';
import { isBlank, isBreak, prepareYamlText, type ScalarCursor } from '../../../model/yaml/index.js';
import { MAX_DEPTH } from '../../../model/json/index.js';

export const TAB = 9;
export const NEWLINE = 10;
export const SPACE = 32;
export const HASH = 35;
export const DASH = 45;
export const COLON = 58;
export const QUESTION = 63;
/** A key without `?` ends on its line, within this many characters. */
const MAX_KEY_LENGTH = 1024;

/** The text of one document and the place in it. The text ends with one NUL, which no YAML text may contain. */
export class Scanner implements ScalarCursor {
  readonly text: string;
  pos = 0;
  lineStart = 0;
  /** Up to here a plain scalar looked for its next line; tabs in those blank lines do no harm. */
  passed = 0;
  #depth = 0;

  /** `firstLine` is where the document starts in its file, from 1. */
  constructor(
    source: string,
    readonly firstLine = 1,
  ) {
    const { text, forbiddenAt } = prepareYamlText(source);
    this.text = text;
    if (forbiddenAt !== undefined) this.fail('control characters are not allowed', forbiddenAt);
  }

  get column(): number {
    return this.pos - this.lineStart;
  }

  code(offset = 0): number {
    return this.text.charCodeAt(this.pos + offset);
  }

  lineOf(at: number): number {
    let line = 1;
    for (let next = this.text.indexOf('\n'); next !== -1 && next < at; next = this.text.indexOf('\n', next + 1)) line++;
    return line;
  }

  /** A text that has no tokens, or not in this place. */
  fail(problem: string, at = this.pos): never {
    const line = this.lineOf(at);
    throw this.#fault(problem, line === 1 ? 0 : line, line);
  }

  /** Go says no more than that. */
  failInQuotes(problem: string, at = this.pos): never {
    return this.fail(problem, at);
  }

  /**
   * Tokens in an order that means nothing. Go counts lines from 0 here, and names where the collection started, if it
   * can.
   */
  failParse(problem: string, start = this.pos): never {
    const line = this.lineOf(this.pos);
    throw this.#fault(problem, this.lineOf(start) - 1 || line - 1, line);
  }

  /** A fault that Go gives without any line. */
  failPlain(problem: string, at: number): never {
    throw this.#fault(problem, 0, this.lineOf(at));
  }

  #fault(problem: string, shown: number, line: number): Fault {
    return new Fault('YAML_INVALID', `yaml: ${shown === 0 ? '' : `line ${shown}: `}${problem}`, {
      where: `line ${line + this.firstLine - 1}`,
    });
  }

  /** Passes blanks, comments and line breaks between block nodes; true when it passed a line break. */
  skip(tabs: boolean): boolean {
    let broke = false;
    for (;;) {
      let code = this.code();
      while (code === SPACE || (code === TAB && ((tabs && !broke) || this.pos < this.passed)))
        code = this.text.charCodeAt(++this.pos);
      if (code === HASH) code = this.#comment();
      if (!isBreak(code)) {
        if (code === TAB) this.fail('found character that cannot start any token');
        return broke;
      }
      this.lineStart = ++this.pos;
      broke = true;
    }
  }

  /** The same inside brackets, where tabs and breaks mean nothing. */
  skipFlow(): void {
    for (;;) {
      let code = this.code();
      while (code === SPACE || code === TAB) code = this.text.charCodeAt(++this.pos);
      if (code === HASH) code = this.#comment();
      if (!isBreak(code)) return;
      this.lineStart = ++this.pos;
    }
  }

  skipBlanks(): void {
    while (this.code() === SPACE || this.code() === TAB) this.pos++;
  }

  /** Passes the rest of the line; gives the break or end it stops at. */
  #comment(): number {
    let code = this.code();
    while (code !== 0 && !isBreak(code)) code = this.text.charCodeAt(++this.pos);
    return code;
  }

  /** Passes blanks, a comment and the break at the end of a line that must hold nothing more. */
  endLine(start: number): void {
    this.skipBlanks();
    let code = this.code();
    if (code === HASH) code = this.#comment();
    if (code !== 0 && !isBreak(code)) this.fail('did not find expected comment or line break', start);
    if (code !== 0) this.lineStart = ++this.pos;
  }

  /** `---` or `...` in the first column, alone or before a blank. */
  atMarker(): boolean {
    if (this.pos !== this.lineStart) return false;
    const code = this.code();
    if (code !== DASH && code !== 46) return false;
    return this.code(1) === code && this.code(2) === code && isBlank(this.code(3));
  }

  /** Whether every open block ends here: end of text, a document marker or a directive. */
  atDocumentEnd(): boolean {
    const code = this.code();
    return code === 0 || (this.pos === this.lineStart && (code === 37 || this.atMarker()));
  }

  /** `- `, `? ` or `: `. */
  atIndicator(indicator: number): boolean {
    return this.code() === indicator && isBlank(this.code(1));
  }

  /** Whether the node from `start` to here is a key: its colon follows on the same line. Stops at the colon. */
  passKey(start: number, flow: boolean): boolean {
    let { pos } = this;
    while (this.text.charCodeAt(pos) === SPACE || this.text.charCodeAt(pos) === TAB) pos++;
    if (this.text.charCodeAt(pos) !== COLON || !(flow || isBlank(this.text.charCodeAt(pos + 1)))) return false;
    if (pos - start > MAX_KEY_LENGTH || this.lineStart > start) return false;
    this.pos = pos;
    return true;
  }

  enter(): void {
    if (++this.#depth > MAX_DEPTH) this.fail(`exceeded max depth of ${MAX_DEPTH}`);
  }

  leave(): void {
    this.#depth--;
  }
}
