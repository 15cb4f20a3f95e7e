import { Fault } from '../faults/index.js';
import type { JsonObject } from '../json/index.js';
import type { YamlDialect } from './resolve.js';
import { prepareYamlText } from './yaml-text.js';

/** A key that a mapping has more than once. */
export interface DuplicateKey {
  readonly key: string;
  /** Where it is in the document, such as `spec.containers[0].name`. */
  readonly path: string;
  /** The line of the repeated key, from 1. */
  readonly line: number;
  /** The line of the repeated key's value: the one that the Go library names. */
  readonly valueLine: number;
}

export interface ReaderSettings {
  readonly dialect: YamlDialect;
  readonly file: string;
  readonly duplicates: 'error' | 'last';
  readonly maxDepth: number;
  readonly onDuplicate: ((duplicate: DuplicateKey) => void) | undefined;
  readonly onKey: KeyListener | undefined;
}

/** Is told of every key that a mapping gets, with its place, both from 1. */
export type KeyListener = (object: JsonObject, key: string, line: number, column: number) => void;

export const TAB = 9;
export const NEWLINE = 10;
export const SPACE = 32;
export const HASH = 35;
export const DASH = 45;
export const COLON = 58;
export const QUESTION = 63;

/** What tags of YAML's own types start with. */
export const CORE = 'tag:yaml.org,2002:';
export const HANDLES: ReadonlyMap<string, string> = new Map([
  ['!', '!'],
  ['!!', CORE],
]);

/** A line break, once carriage returns and next-line characters have become newlines. */
export function isBreak(code: number): boolean {
  return code === NEWLINE || code === 0x2028 || code === 0x2029;
}

/** A blank, a line break or the end. */
export function isBlank(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === TAB || code === 0 || code === 0x2028 || code === 0x2029;
}

/** The text being read and the place in it. The text ends with one NUL, which no YAML text may contain. */
export class Reader {
  readonly text: string;
  pos = 0;
  lineStart = 0;
  /** Up to here a plain scalar looked for its next line; tabs in those blank lines do no harm. */
  passed = 0;
  /** Tag handles of the document, with what each stands for. */
  handles: ReadonlyMap<string, string> = HANDLES;
  /** Open collections around the place. */
  depth = 0;
  /** Key or index that leads down at each depth. */
  readonly path: (string | number)[] = [];

  #lineStarts: number[] | undefined;

  constructor(
    source: string,
    readonly settings: ReaderSettings,
  ) {
    const { text, forbiddenAt } = prepareYamlText(source);
    this.text = text;
    if (forbiddenAt !== undefined) this.fail('control characters are not allowed', forbiddenAt);
  }

  get column(): number {
    return this.pos - this.lineStart;
  }

  fail(problem: string, at = this.pos): never {
    const { file } = this.settings;
    const place = `${this.lineOf(at)}:${this.columnOf(at)}`;
    throw new Fault('YAML_INVALID', problem, { where: file === '' ? place : `${file}:${place}` });
  }

  failInQuotes(problem: string, at = this.pos): never {
    return this.fail(`${problem} in a quoted scalar`, at);
  }

  columnOf(at: number): number {
    const line = this.lineOf(at);
    return at - (this.#lineStarts?.[line - 1] ?? 0) + 1;
  }

  /** The line number, from 1. The starts of lines are found when someone first asks: most texts have no fault. */
  lineOf(at: number): number {
    const starts = (this.#lineStarts ??= this.#findLineStarts());
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #findLineStarts(): number[] {
    const { text } = this;
    const starts = [0];
    if (/[\u2028\u2029]/.test(text)) for (const { index } of text.matchAll(/[\n\u2028\u2029]/g)) starts.push(index + 1);
    else for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    return starts;
  }

  /**
   * Passes blanks, comments and line breaks in block context; true when it passed a line break. A tab may stand
   * between tokens of one line, but not where a new key or entry could start.
   */
  skip(tabs: boolean): boolean {
    const { text } = this;
    let broke = false;
    for (;;) {
      let code = text.charCodeAt(this.pos);
      while (code === SPACE || (code === TAB && ((tabs && !broke) || this.pos < this.passed)))
        code = text.charCodeAt(++this.pos);
      if (code === HASH) code = this.skipComment();
      if (!isBreak(code)) {
        if (code === TAB) this.fail('found character that cannot start any token: a tab; indent with spaces');
        return broke;
      }
      this.lineStart = ++this.pos;
      broke = true;
    }
  }

  /** Passes blanks, comments and line breaks in flow context. */
  skipFlow(): void {
    const { text } = this;
    for (;;) {
      let code = text.charCodeAt(this.pos);
      while (code === SPACE || code === TAB) code = text.charCodeAt(++this.pos);
      if (code === HASH) code = this.skipComment();
      if (!isBreak(code)) return;
      this.lineStart = ++this.pos;
    }
  }

  /** Passes the rest of the line; gives the break or end it stops at. */
  skipComment(): number {
    let code = this.text.charCodeAt(this.pos);
    while (code !== 0 && !isBreak(code)) code = this.text.charCodeAt(++this.pos);
    return code;
  }

  /** `---` or `...` in the first column, alone or before a blank. */
  atMarker(): boolean {
    if (this.pos !== this.lineStart) return false;
    const code = this.text.charCodeAt(this.pos);
    if (code !== DASH && code !== 46) return false;
    return (
      this.text.charCodeAt(this.pos + 1) === code &&
      this.text.charCodeAt(this.pos + 2) === code &&
      isBlank(this.text.charCodeAt(this.pos + 3))
    );
  }

  /** Whether every open block collection ends here: end of text, a document marker or a directive. */
  atDocumentEnd(): boolean {
    const code = this.text.charCodeAt(this.pos);
    return code === 0 || (this.pos === this.lineStart && (code === 37 || this.atMarker()));
  }

  /** `- `, `? ` or `: `: an indicator that stands before a blank. */
  atIndicator(indicator: number): boolean {
    return this.text.charCodeAt(this.pos) === indicator && isBlank(this.text.charCodeAt(this.pos + 1));
  }

  enter(): void {
    if (++this.depth > this.settings.maxDepth) this.fail(`exceeded max depth of ${this.settings.maxDepth}`);
  }

  leave(): void {
    this.depth--;
  }

  pathText(): string {
    let text = '';
    for (const step of this.path.slice(1, this.depth + 1)) {
      if (typeof step === 'number') text += `[${step}]`;
      else text += text === '' ? step : `.${step}`;
    }
    return text;
  }
}
