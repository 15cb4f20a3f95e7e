import { quoteText } from '../../template/value/go-text.js';
import { isBroken } from '../text/broken-text.js';

/** A TOML text that is wrong, in BurntSushi's words. */
export class TomlError extends Error {}

/** Moves through a TOML text: characters, comments, keys and strings. */
export abstract class Scanner {
  readonly #text: string;
  #at = 0;
  protected line = 1;

  constructor(text: string) {
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text;
    if (this.#text.slice(0, 6).includes('\0')) {
      throw new TomlError(
        'toml: line 1: files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8',
      );
    }
  }

  protected abstract lastKey(): string;

  protected atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  protected peek(): string {
    return this.#text.charAt(this.#at);
  }

  protected take(): string {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#check(char);
    this.#at += char.length;
    if (char === '\n') this.line++;
    return char;
  }

  #check(char: string): void {
    if (isBroken(char)) this.fail(`invalid UTF-8 byte: 0x${(char.charCodeAt(0) - 0xdc00).toString(16)}`);
    const isLoneReturn = char === '\r' && this.#text.charAt(this.#at + 1) !== '\n';
    if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(char) || isLoneReturn) {
      this.fail(
        `TOML files cannot contain control characters: '0x${char.charCodeAt(0).toString(16).padStart(2, '0')}'`,
      );
    }
  }

  protected skip(chars: RegExp): void {
    while (!this.atEnd() && chars.test(this.peek())) this.take();
  }

  protected comment(): void {
    while (!this.atEnd() && this.peek() !== '\n' && !(this.peek() === '\r' && this.#text.charAt(this.#at + 1) === '\n'))
      this.take();
  }

  /** What a sticky pattern finds here; it must not reach over a newline. */
  protected match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  protected keyPart(): string {
    if (this.peek() === '"') return this.#basic();
    return this.peek() === "'" ? this.#literal() : this.match(/[A-Za-z0-9_-]*/y);
  }

  protected text(): string {
    const quote = this.peek();
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    if (!isLong) return quote === '"' ? this.#basic() : this.#literal();
    for (let count = 0; count < 3; count++) this.take();
    if (this.#text.startsWith('\r\n', this.#at)) this.take();
    if (this.peek() === '\n') this.take();
    return this.#long(quote);
  }

  #basic(): string {
    this.take();
    let out = '';
    for (;;) {
      if (this.atEnd()) this.fail("unexpected EOF; expected '\"'");
      if (/[\r\n]/.test(this.peek())) this.fail('strings cannot contain newlines');
      const char = this.take();
      if (char === '"') return out;
      out += char === '\\' ? this.#escape() : char;
    }
  }

  #literal(): string {
    this.take();
    let out = '';
    for (;;) {
      if (this.atEnd()) this.fail('unexpected EOF; expected "\'"');
      if (/[\r\n]/.test(this.peek())) this.fail('strings cannot contain newlines');
      const char = this.take();
      if (char === "'") return out;
      out += char;
    }
  }

  /** Between three quotes; up to two more may stand before the closing ones. */
  #long(quote: string): string {
    let out = '';
    for (;;) {
      if (this.atEnd())
        this.fail(quote === '"' ? 'unexpected EOF; expected \'"""\'' : "unexpected EOF; expected \"'''\"");
      if (this.#text.startsWith(quote.repeat(3), this.#at)) {
        const count = /^(["'])\1*/.exec(this.#text.slice(this.#at, this.#at + 6))?.[0].length ?? 3;
        if (count > 5) this.fail(quote === '"' ? 'unexpected \'""""""\'' : "unexpected \"''''''\"");
        for (let taken = 0; taken < count; taken++) this.take();
        return out + quote.repeat(count - 3);
      }
      const char = this.take();
      if (char !== '\\' || quote === "'") out += char;
      else if (/^[ \t]*\r?\n/.test(this.#text.slice(this.#at))) this.skip(/[ \t\r\n]/);
      else out += this.#escape();
    }
  }

  #escape(): string {
    const char = this.atEnd() ? '\0' : this.take();
    const simple = ESCAPES[char];
    if (simple !== undefined) return simple;
    const [width, words] = HEX[char] ?? [0, ''];
    if (width === 0) {
      if (char === ' ' || char === '\t') this.fail(`invalid escape: '\\${char}'`);
      this.fail(`invalid escape in string '\\${char}'`);
    }
    const digits = this.match(DIGITS[width]);
    if (digits.length < width)
      this.fail(
        `expected ${words} hexadecimal digits after '\\${char}', but got ${quoteText(digits + this.peek())} instead`,
      );
    const code = parseInt(digits, 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      this.fail(`Escaped character '\\u${digits}' is not valid UTF-8.`);
    return String.fromCodePoint(code);
  }

  /** The next character in Go's quotes. */
  protected quotedNext(): string {
    const char = this.#nextChar();
    if (char === "'") return "'\\''";
    return char === '"' ? "'\"'" : `'${quoteText(char).slice(1, -1)}'`;
  }

  protected formatNext(): string {
    return this.atEnd() ? 'end of file' : `'${this.#nextChar()}'`;
  }

  protected formatChar(): string {
    return this.#nextChar();
  }

  /** A character that TOML forbids is a problem of its own, and comes first. */
  #nextChar(): string {
    if (this.atEnd()) return '\0';
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#check(char);
    return char;
  }

  protected fail(message: string): never {
    const isAfterNewline = this.atEnd() && this.#text.charAt(this.#at - 1) === '\n';
    return this.failAt(isAfterNewline ? this.line - 1 : this.line, message);
  }

  /** BurntSushi counts a newline as read before it complains about it. */
  protected failOver(message: string): never {
    return this.peek() === '\n' ? this.failAt(this.line + 1, message) : this.fail(message);
  }

  protected failAt(line: number, message: string): never {
    const key = this.lastKey();
    throw new TomlError(`toml: line ${line}${key === '' ? '' : ` (last key ${quoteText(key)})`}: ${message}`);
  }
}

const ESCAPES: Readonly<Record<string, string | undefined>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
};
const DIGITS = { 2: /[0-9a-fA-F]{0,2}/y, 4: /[0-9a-fA-F]{0,4}/y, 8: /[0-9a-fA-F]{0,8}/y };
const HEX: Readonly<Record<string, readonly [2 | 4 | 8, string] | undefined>> = {
  x: [2, 'two'],
  u: [4, 'four'],
  U: [8, 'eight'],
};
