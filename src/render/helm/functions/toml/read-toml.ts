import { quoteText } from '../../template/value/go-text.js';
import { INT64 } from '../../template/value/go-type.js';
import { GoScalar, setEntry, type GoObject, type GoValue } from '../../template/value/go-value.js';
import type { ReadJson } from '../serialization/json-reader.js';
import { parseFloat64, parseInt64 } from '../numbers/parse-number.js';
import { readDateTime } from './date-time.js';
import { Scanner, TomlError } from './scanner.js';
import { keyText, TomlTables, type Key } from './tables.js';

/** Reads a text as BurntSushi/toml does; a problem is in its words. */
export function readToml(text: string): ReadJson {
  try {
    return { value: new TomlReader(text).read() };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { value: null, problem: error.message };
  }
}

const MAX_DEPTH = 500;
const BASES: Readonly<Record<string, readonly [RegExp, string] | undefined>> = {
  '0b': [/[01_]*/y, 'a binary'],
  '0o': [/[0-7_]*/y, 'an octal'],
  '0x': [/[0-9a-fA-F_]*/y, 'a hexadecimal'],
};

class TomlReader extends Scanner {
  readonly #tables = new TomlTables((message) => this.failAt(this.#keyLine, message));
  #keyLine = 1;
  #currentKey = '';
  #depth = 0;

  read(): GoObject {
    for (;;) {
      this.skip(/[ \t\r\n]/);
      if (this.atEnd()) return this.#tables.root;
      if (this.peek() === '#') this.comment();
      else {
        if (this.peek() === '[') this.#header();
        else this.#pair();
        this.#currentKey = '';
        this.#endOfLine();
      }
    }
  }

  protected override lastKey(): string {
    const { context } = this.#tables;
    if (this.#currentKey === '') return keyText(context);
    return context.length === 0 ? this.#currentKey : `${keyText(context)}.${this.#currentKey}`;
  }

  #endOfLine(): void {
    this.skip(/[ \t]/);
    if (this.peek() === '#') this.comment();
    if (!this.atEnd() && !/[\r\n]/.test(this.peek()))
      this.fail(
        `expected a top-level item to end with a newline, comment, or EOF, but got ${this.quotedNext()} instead`,
      );
  }

  /** `[a.b]` or `[[a.b]]` */
  #header(): void {
    this.take();
    const isArray = this.peek() === '[';
    if (isArray) this.take();
    this.#keyLine = this.line;
    const key: string[] = [];
    for (;;) {
      this.skip(/[ \t]/);
      if (this.atEnd() || this.peek() === ']') this.fail('unexpected end of table name (table names cannot be empty)');
      if (this.peek() === '.') this.fail('unexpected table separator (table names cannot be empty)');
      key.push(this.keyPart());
      this.skip(/[ \t]/);
      if (this.peek() === ']') break;
      if (this.peek() !== '.')
        this.failOver(`expected '.' or ']' to end table name, but got ${this.quotedNext()} instead`);
      this.take();
    }
    this.take();
    if (isArray && this.peek() !== ']')
      this.failOver(`expected end of table array name delimiter ']', but got ${this.quotedNext()} instead`);
    if (isArray) this.take();
    this.#tables.enter(key, isArray);
  }

  #key(): Key {
    this.skip(/[ \t]/);
    if (this.atEnd() || this.peek() === '=') this.fail("unexpected '=': key name appears blank");
    if (this.peek() === '.') this.fail("unexpected '.': keys cannot start with a '.'");
    this.#keyLine = this.line;
    const key: string[] = [];
    for (;;) {
      key.push(this.keyPart());
      this.skip(/[ \t]/);
      const separator = this.peek();
      if (this.atEnd()) this.fail("unexpected EOF; expected key separator '='");
      if (separator !== '.' && separator !== '=')
        this.fail(`expected '.' or '=', but got ${this.quotedNext()} instead`);
      this.take();
      if (separator === '=') return key;
      this.skip(/[ \t]/);
      if (this.atEnd() || this.peek() === '=') this.fail("unexpected '='");
      if (this.peek() === '.') this.fail("unexpected '.'");
    }
  }

  /** Reads `a.b = value` into the table in scope. */
  #pair(): { key: Key; value: GoValue } {
    const outer = this.#tables.context;
    const key = this.#key();
    this.#currentKey = key.at(-1) ?? '';
    for (const part of key.slice(0, -1)) this.#tables.enterImplicit([...this.#tables.context, part]);
    const name = this.#currentKey;
    const value = this.#value(false);
    this.#tables.set(name, value);
    this.#tables.context = outer;
    return { key, value };
  }

  #value(isInArray: boolean): GoValue {
    this.skip(/[ \t]/);
    const char = this.peek();
    if (char === '[') return this.#array();
    if (char === '{') return this.#inlineTable(isInArray);
    if (char === '"' || char === "'") return this.text();
    if (/[-+0-9]/.test(char)) return this.#number();
    if (char === '.') this.fail("floats must start with a digit, not '.'");
    const word = this.match(/[\p{L}]+/uy);
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'inf') return Infinity;
    if (word === 'nan') return NaN;
    if (word !== '') this.fail(`expected value but found ${quoteText(word)} instead`);
    if (this.atEnd()) this.fail('unexpected EOF; expected value');
    return this.fail(`expected value but found ${this.quotedNext()} instead`);
  }

  #enter(): void {
    this.take();
    if (++this.#depth > MAX_DEPTH) this.fail('too many tables and lists inside one another');
  }

  #array(): GoValue[] {
    this.#enter();
    this.#tables.markArray(this.#currentKey);
    const items: GoValue[] = [];
    for (;;) {
      this.#blank();
      if (this.peek() === ',') this.fail('unexpected comma');
      if (this.peek() === ']') break;
      items.push(this.#value(true));
      this.#blank();
      if (this.peek() === ']') break;
      if (this.peek() !== ',')
        this.fail(`expected a comma (',') or array terminator (']'), but got ${this.formatNext()}`);
      this.take();
    }
    this.take();
    this.#depth--;
    return items;
  }

  /** Spaces, newlines and comments between elements. */
  #blank(): void {
    for (;;) {
      this.skip(/[ \t\r\n]/);
      if (this.peek() !== '#') return;
      this.comment();
    }
  }

  #inlineTable(isInArray: boolean): GoObject {
    this.#enter();
    const outer = this.#tables.context;
    const outerKey = this.#currentKey;
    const context = [...outer, outerKey];
    this.#currentKey = '';
    this.#tables.context = context;
    this.#tables.markImplicit(context);
    this.#tables.enter(context, isInArray);
    const table: GoObject = {};
    for (;;) {
      this.#blank();
      if (this.peek() === ',') this.fail('unexpected comma');
      if (this.peek() === '}') break;
      this.#tables.context = context;
      const { key, value } = this.#pair();
      this.#place(table, key, value);
      this.#blank();
      if (this.peek() === '}') break;
      if (this.peek() !== ',')
        this.fail(`expected a comma or an inline table terminator '}', but got ${this.formatNext()} instead`);
      this.take();
    }
    this.take();
    this.#tables.context = outer;
    this.#currentKey = outerKey;
    this.#depth--;
    return table;
  }

  #place(table: GoObject, key: Key, value: GoValue): void {
    let inner = table;
    for (const part of key.slice(0, -1)) {
      if (!Object.hasOwn(inner, part)) setEntry(inner, part, {});
      // Redefinition has been refused before, so this is a table.
      inner = inner[part] as GoObject;
    }
    setEntry(inner, key.at(-1) ?? '', value);
  }

  #number(): GoValue {
    const { line } = this;
    const date = this.match(/\d+[-:][-:0-9Tt Zz.+]*/y).trimEnd();
    if (date !== '') return readDateTime(date, (message) => this.failAt(line, message));
    const special = this.match(/[-+](?:inf|nan)/y);
    if (special !== '') {
      if (special.endsWith('nan')) return NaN;
      return special.startsWith('-') ? -Infinity : Infinity;
    }
    const based = this.match(/0[box]/y);
    if (based !== '') return this.#integer(based + this.#basedDigits(based), line);
    const word = this.match(/[-+]?\d[\d_]*(?:[.eE][-+\d_.eE]*)?/y);
    if (word === '') this.#badNumber();
    if (/^[-+]0$/.test(word) && /^[box]$/.test(this.peek()))
      this.fail(`cannot use sign with non-decimal numbers: '${word}${this.peek()}'`);
    return /[.eE]/.test(word) ? this.#float(word, line) : this.#integer(word, line);
  }

  /** A sign that no digit follows. */
  #badNumber(): never {
    const sign = this.take();
    if (this.peek() === '.') this.fail("floats must start with a digit, not '.'");
    const start = this.match(/i|n/y);
    if (start !== '') this.fail(`invalid float: '${sign}${start}${this.match(start === 'i' ? /n/y : /a/y)}'`);
    return this.failOver(`expected a digit but got ${this.quotedNext()}`);
  }

  #basedDigits(prefix: string): string {
    const [pattern, name] = BASES[prefix] ?? [/x/y, ''];
    const digits = this.match(pattern);
    if (digits === '' || digits.startsWith('_'))
      this.fail(`not ${name} number: '${prefix}${digits.charAt(0) || this.formatChar()}'`);
    return digits;
  }

  #integer(word: string, line: number): GoValue {
    if (!/^[-+]?[0-9a-fA-Fxo]+(?:_[0-9a-fA-F]+)*$/.test(word))
      this.failAt(line, `Invalid integer ${quoteText(word)}: underscores must be surrounded by digits`);
    if (/^0[0-9_]|^[-+]0./.test(word))
      this.failAt(line, `Invalid integer ${quoteText(word)}: cannot have leading zeroes`);
    const { value, problem } = parseInt64(word, 0);
    if (problem === 'value out of range') this.failAt(line, `${word} is out of range for int64`);
    if (problem !== undefined)
      this.failAt(line, `Invalid integer ${quoteText(word)}: underscores must be surrounded by digits`);
    return new GoScalar(INT64, value);
  }

  #float(word: string, line: number): GoValue {
    const parts = word.split(/[.eE]/).filter((part) => part !== '');
    if (parts.some((part) => !/^[-+]?[0-9]+(?:_[0-9]+)*$/.test(part)))
      this.failAt(line, `Invalid float ${quoteText(word)}: underscores must be surrounded by digits`);
    if (/^[-+]?0[0-9]/.test(parts[0] ?? ''))
      this.failAt(line, `Invalid float ${quoteText(word)}: cannot have leading zeroes`);
    if (/\.(?!\d)/.test(word))
      this.failAt(line, `Invalid float ${quoteText(word)}: '.' must be followed by one or more digits`);
    const value = parseFloat64(word.replaceAll('_', ''));
    if (value === undefined)
      this.failAt(
        line,
        /^[-+]?[0-9_.]+[eE]\d+$/.test(word)
          ? `${word} is out of range for float64`
          : `Invalid float value: ${quoteText(word)}`,
      );
    return value;
  }
}
