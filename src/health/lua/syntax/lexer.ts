import { LuaError } from '../lua-error.js';
import { toText } from '../text.js';

/** Kinds of tokens. A token of one character has its code as kind. */
export const END = -1;
export const NAME = 256;
export const NUMBER = 257;
export const STRING = 258;
export const EQUAL = 259;
export const NOT_EQUAL = 260;
export const LESS_EQUAL = 261;
export const GREATER_EQUAL = 262;
export const CONCAT = 263;
export const DOTS = 264;
export const DOUBLE_COLON = 265;
export const AND = 266;
export const BREAK = 267;
export const DO = 268;
export const ELSE = 269;
export const ELSEIF = 270;
export const BLOCK_END = 271;
export const FALSE = 272;
export const FOR = 273;
export const FUNCTION = 274;
export const IF = 275;
export const IN = 276;
export const LOCAL = 277;
export const NIL = 278;
export const NOT = 279;
export const OR = 280;
export const RETURN = 281;
export const REPEAT = 282;
export const THEN = 283;
export const TRUE = 284;
export const UNTIL = 285;
export const WHILE = 286;
export const GOTO = 287;

const KEYWORDS: readonly (readonly [string, number])[] = [
  ['and', AND],
  ['break', BREAK],
  ['do', DO],
  ['else', ELSE],
  ['elseif', ELSEIF],
  ['end', BLOCK_END],
  ['false', FALSE],
  ['for', FOR],
  ['function', FUNCTION],
  ['if', IF],
  ['in', IN],
  ['local', LOCAL],
  ['nil', NIL],
  ['not', NOT],
  ['or', OR],
  ['return', RETURN],
  ['repeat', REPEAT],
  ['then', THEN],
  ['true', TRUE],
  ['until', UNTIL],
  ['while', WHILE],
  ['goto', GOTO],
];
const MAX_KEYWORD_LENGTH = 8;
/**
 * No two keywords have the same length, first and last letter, so a word needs to be compared with one of them at most.
 */
const KEYWORD_PLACES = new Uint8Array(1 << 14);
const keywordPlace = (first: number, last: number, length: number): number =>
  ((first & 31) << 9) | ((last & 31) << 4) | length;
KEYWORDS.forEach(
  ([word], i) =>
    (KEYWORD_PLACES[keywordPlace(word.charCodeAt(0), word.charCodeAt(word.length - 1), word.length)] = i + 1),
);

const NEWLINE = 10;
const RETURN_CHAR = 13;
const OPEN_BRACKET = 0x5b;
const EQUALS = 0x3d;

/** The tokens of one character that start no longer one. */
const SINGLE_SYMBOLS = new Uint8Array(256);
for (const char of '-+*/%^#(){}];,') SINGLE_SYMBOLS[char.charCodeAt(0)] = 1;

/** Character classes: 1 starts a name, 2 is a digit, 4 a hexadecimal letter. */
const CLASS = new Uint8Array(256);
for (let code = 0; code < 256; code++) {
  const char = String.fromCharCode(code);
  CLASS[code] = (/[A-Za-z_]/.test(char) ? 1 : 0) | (/\d/.test(char) ? 2 : 0) | (/[a-fA-F]/.test(char) ? 4 : 0);
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Splits bytes of a script into tokens exactly where gopher-lua's scanner does, with its messages. */
export class Lexer {
  kind = END;
  /** A name, the text of a number, the content of a string. */
  text = '';
  line = 1;
  /** Line of its first character. */
  startLine = 1;
  private start = 0;
  private at = 0;
  private lineStart = 0;

  constructor(
    private readonly source: string,
    private readonly script: string,
  ) {}

  /** The place right after the current token; lets a parser look ahead and come back. */
  mark(): LexerMark {
    const { kind, text, line, startLine, start, at, lineStart } = this;
    return { kind, text, line, startLine, start, at, lineStart };
  }

  reset(mark: LexerMark): void {
    Object.assign(this, mark);
  }

  next(): void {
    const { source } = this;
    let { at } = this;
    let code = source.charCodeAt(at);
    while (code <= 0x20 || code === 0x2d) {
      if (code === 0x20 || code === 0x09) at++;
      else if (code === NEWLINE || code === RETURN_CHAR) {
        this.at = at;
        this.newline(code);
        ({ at } = this);
      } else if (code === 0x2d && source.charCodeAt(at + 1) === 0x2d) {
        this.at = at;
        this.skipComment();
        ({ at } = this);
      } else break;
      code = source.charCodeAt(at);
    }
    this.at = at;
    this.start = at;
    this.startLine = this.line;
    if (at >= source.length) {
      this.kind = END;
      return;
    }
    const kind = CLASS[code] ?? 0;
    if ((kind & 1) !== 0) this.scanName(code);
    else if ((kind & 2) !== 0) this.scanNumber();
    else this.scanSymbol(code);
  }

  /** `near 'token'` at the current position. */
  fail(message: string, token = this.formatToken()): never {
    const { script, line } = this;
    const place =
      this.kind === END || this.at > this.source.length
        ? `${script} at EOF`
        : `${script} line:${line}(column:${this.at - this.lineStart}) near '${token}'`;
    const text = `${place}:   ${message}\n`;
    throw new LuaError('syntax', toText(text), text, { script, line });
  }

  /** The token as messages show it. */
  private formatToken(): string {
    if (this.kind === NAME || this.kind === NUMBER || this.kind === STRING) return this.text;
    // gopher-lua shows a lone dot as nothing.
    return this.kind === 0x2e ? '' : this.source.slice(this.start, this.at);
  }

  /** Steps over one line break; \r\n and \n\r count as one. */
  private newline(code: number): void {
    this.at++;
    const following = this.source.charCodeAt(this.at);
    if ((following === NEWLINE || following === RETURN_CHAR) && following !== code) this.at++;
    this.line++;
    this.lineStart = this.at;
  }

  private skipComment(): void {
    this.at += 2;
    if (this.source.charCodeAt(this.at) === OPEN_BRACKET) {
      const following = this.source.charCodeAt(this.at + 1);
      if (following === OPEN_BRACKET || following === EQUALS) {
        this.at++;
        this.scanLong('invalid multiline comment');
        return;
      }
    }
    const { source } = this;
    let { at } = this;
    while (at < source.length) {
      const code = source.charCodeAt(at);
      if (code === NEWLINE || code === RETURN_CHAR) break;
      at++;
    }
    this.at = at;
  }

  private scanName(first: number): void {
    const { source, start } = this;
    const size = source.length;
    let at = start + 1;
    let last = first;
    while (at < size) {
      const code = source.charCodeAt(at);
      if (((CLASS[code] ?? 0) & 3) === 0) break;
      last = code;
      at++;
    }
    this.at = at;
    this.text = source.slice(start, at);
    const length = at - start;
    const keyword =
      length > MAX_KEYWORD_LENGTH ? undefined : KEYWORDS[(KEYWORD_PLACES[keywordPlace(first, last, length)] ?? 0) - 1];
    this.kind = keyword !== undefined && keyword[0] === this.text ? keyword[1] : NAME;
  }

  private scanNumber(): void {
    this.kind = NUMBER;
    const { source } = this;
    let from = this.at;
    if (source.charCodeAt(from) === 0x30) {
      const following = source.charCodeAt(from + 1) | 0x20;
      if (following === 0x78) return this.scanHex();
      // One leading zero is dropped, so that 010 is ten.
      if (this.isDigit(from + 1)) from++;
    }
    this.at = this.digits(from + 1);
    if (source.charCodeAt(this.at) === 0x2e) this.at = this.digits(this.at + 1);
    if ((source.charCodeAt(this.at) | 0x20) === 0x65) {
      this.at++;
      const sign = source.charCodeAt(this.at);
      if (sign === 0x2d || sign === 0x2b) this.at++;
      // The scanner takes whatever follows as the first digit, even the end.
      this.at = this.digits(this.at + 1);
    }
    this.text = source.slice(from, this.at);
  }

  private scanHex(): void {
    const from = this.at;
    this.at += 2;
    while (((CLASS[this.source.charCodeAt(this.at)] ?? 0) & 6) !== 0) this.at++;
    this.text = this.source.slice(from, this.at);
    if (this.at === from + 2) this.fail('illegal hexadecimal number');
  }

  private isDigit(at: number): boolean {
    return CLASS[this.source.charCodeAt(at)] === 2;
  }

  private digits(from: number): number {
    let at = from;
    while (this.isDigit(at)) at++;
    return at;
  }

  private scanSymbol(code: number): void {
    const { source } = this;
    const following = source.charCodeAt(this.at + 1);
    switch (code) {
      case 0x22:
      case 0x27:
        return this.scanString(code);
      case OPEN_BRACKET:
        if (following !== OPEN_BRACKET && following !== EQUALS) return this.symbol(code, 1);
        this.at++;
        this.kind = STRING;
        this.text = this.scanLong('');
        return;
      case EQUALS:
        return following === EQUALS ? this.symbol(EQUAL, 2) : this.symbol(code, 1);
      case 0x7e:
        if (following === EQUALS) return this.symbol(NOT_EQUAL, 2);
        this.symbol(0, 1);
        return this.fail("Invalid '~' token", '~');
      case 0x3c:
        return following === EQUALS ? this.symbol(LESS_EQUAL, 2) : this.symbol(code, 1);
      case 0x3e:
        return following === EQUALS ? this.symbol(GREATER_EQUAL, 2) : this.symbol(code, 1);
      case 0x3a:
        return following === 0x3a ? this.symbol(DOUBLE_COLON, 2) : this.symbol(code, 1);
      case 0x2e:
        return this.scanDot(following);
      default:
        if (SINGLE_SYMBOLS[code] === 1) return this.symbol(code, 1);
        this.at++;
        this.kind = 0;
        this.fail('Invalid token', source.charAt(this.at - 1));
    }
  }

  private scanDot(following: number): void {
    if (CLASS[following] === 2) return this.scanNumber();
    if (following !== 0x2e) this.symbol(0x2e, 1);
    else if (this.source.charCodeAt(this.at + 2) === 0x2e) this.symbol(DOTS, 3);
    else this.symbol(CONCAT, 2);
  }

  private symbol(kind: number, length: number): void {
    this.kind = kind;
    this.at += length;
  }

  private scanString(quote: number): void {
    const { source } = this;
    this.kind = STRING;
    let from = ++this.at;
    let text = '';
    for (;;) {
      const code = source.charCodeAt(this.at);
      if (code === quote) break;
      if (Number.isNaN(code) || code === NEWLINE || code === RETURN_CHAR) {
        text += source.slice(from, this.at);
        if (Number.isNaN(code)) this.kind = END;
        else this.newline(code);
        this.fail('unterminated string', text);
      }
      this.at++;
      if (code !== 0x5c) continue;
      text += source.slice(from, this.at - 1) + this.scanEscape();
      from = this.at;
    }
    this.text = from === this.start + 1 ? source.slice(from, this.at) : text + source.slice(from, this.at);
    this.at++;
  }

  private scanEscape(): string {
    const code = this.source.charCodeAt(this.at);
    if (Number.isNaN(code)) return '\xff';
    if (code === NEWLINE || code === RETURN_CHAR) {
      this.newline(code);
      return '\n';
    }
    if (this.isDigit(this.at)) {
      const end = Math.min(this.digits(this.at), this.at + 3);
      const value = Number(this.source.slice(this.at, end));
      this.at = end;
      return String.fromCharCode(value & 0xff);
    }
    const char = this.source.charAt(this.at++);
    return ESCAPES[char] ?? char;
  }

  /** A long string or comment; `at` is after its first bracket. */
  private scanLong(commentMessage: string): string {
    const { source } = this;
    let level = 0;
    while (source.charCodeAt(this.at) === EQUALS) {
      level++;
      this.at++;
    }
    if (source.charCodeAt(this.at) !== OPEN_BRACKET) {
      const found = source.charAt(this.at++);
      if (commentMessage !== '') return this.fail(commentMessage, '');
      return this.fail('invalid multiline string', found);
    }
    this.at++;
    const first = source.charCodeAt(this.at);
    if (first === NEWLINE || first === RETURN_CHAR) this.newline(first);
    const closing = `]${'='.repeat(level)}]`;
    const end = source.indexOf(closing, this.at);
    const text = this.normalised(this.at, end < 0 ? source.length : end);
    if (end < 0) {
      this.kind = END;
      return this.fail(commentMessage === '' ? 'unterminated multiline string' : commentMessage, text);
    }
    this.at = end + closing.length;
    return text;
  }

  /** Text up to a place with every line break as \n, and lines counted. */
  private normalised(from: number, end: number): string {
    let text = '';
    let copied = from;
    this.at = from;
    while (this.at < end) {
      const code = this.source.charCodeAt(this.at);
      if (code !== NEWLINE && code !== RETURN_CHAR) {
        this.at++;
        continue;
      }
      text += `${this.source.slice(copied, this.at)}\n`;
      this.newline(code);
      copied = this.at;
    }
    return text + this.source.slice(copied, end);
  }
}

interface LexerMark {
  readonly kind: number;
  readonly text: string;
  readonly line: number;
  readonly startLine: number;
  readonly start: number;
  readonly at: number;
  readonly lineStart: number;
}
