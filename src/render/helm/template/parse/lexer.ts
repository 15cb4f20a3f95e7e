import { formatInteger, isPrintable, newDirective } from '../../../../model/go/index.js';
import { fromByteString, quoteText } from '../value/go-text.js';
import { KEYWORDS, type Token, type TokenType } from './token.js';

const LEFT = '{{';
const RIGHT = '}}';
const WORD = /^[\p{L}\p{Nd}_]$/u;
const HEXADECIMAL = /0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?/;
const OCTAL_OR_BINARY = /0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?/;
const DECIMAL = /[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?/;
const NUMBER = new RegExp(`[+-]?(?:${HEXADECIMAL.source}|${OCTAL_OR_BINARY.source}|${DECIMAL.source})i?`, 'y');
const EOF = -1;
/** Letters of ASCII in one go; a regular expression is fast from its first use, a loop only once it was compiled. */
const ASCII_WORD = /[A-Za-z0-9_]*/y;
const BLANKS = /[ \t\r\n]*/y;
const PLAIN_QUOTED = /[^"'\\\n]*/y;

/** The index after what a sticky expression that also matches nothing finds at an index. */
function skip(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  expression.test(text);
  return expression.lastIndex;
}

/** Words that are keywords only if no function has their name. */
export interface LexerOptions {
  readonly isBreakKeyword: boolean;
  readonly isContinueKeyword: boolean;
}

/** Cuts template text into tokens, one at a time. */
export class Lexer {
  private pos = 0;
  private start = 0;
  private isInAction = false;
  private parens = 0;
  private line = 1;
  private nextNewline: number;

  constructor(
    private readonly text: string,
    private readonly options: LexerOptions,
  ) {
    this.nextNewline = this.newlineFrom(0);
  }

  next(): Token {
    return this.isInAction ? this.inAction() : this.inText();
  }

  private token(type: TokenType): Token {
    const text = this.text.slice(this.start, this.pos);
    const token: Token = { type, pos: this.start, text: type === 'eof' ? 'EOF' : text, line: this.lineOf(this.start) };
    this.start = this.pos;
    return token;
  }

  private error(message: string): Token {
    const token: Token = { type: 'error', pos: this.start, text: message, line: this.lineOf(this.start) };
    this.start = this.pos = this.text.length;
    return token;
  }

  /** Tokens come in order, so newlines are counted once. */
  private lineOf(pos: number): number {
    while (this.nextNewline < pos) {
      this.line++;
      this.nextNewline = this.newlineFrom(this.nextNewline + 1);
    }
    return this.line;
  }

  private newlineFrom(at: number): number {
    const found = this.text.indexOf('\n', at);
    return found < 0 ? Number.MAX_SAFE_INTEGER : found;
  }

  private inText(): Token {
    for (;;) {
      const { text } = this;
      const delim = text.indexOf(LEFT, this.pos);
      if (delim < 0) {
        this.pos = text.length;
        return this.token(this.pos > this.start ? 'text' : 'eof');
      }
      if (delim > this.pos) {
        this.pos = hasLeftTrim(text, delim + LEFT.length) ? trimmedEnd(text, this.start, delim) : delim;
        const token = this.pos > this.start ? this.token('text') : undefined;
        this.pos = this.start = delim;
        if (token !== undefined) return token;
      }
      const token = this.leftDelim();
      if (token !== undefined) return token;
    }
  }

  /** The start of an action; undefined after a comment. */
  private leftDelim(): Token | undefined {
    this.pos += LEFT.length;
    const marker = hasLeftTrim(this.text, this.pos) ? 2 : 0;
    if (this.text.startsWith('/*', this.pos + marker)) {
      this.start = this.pos += marker;
      return this.comment();
    }
    const token = this.token('leftDelim');
    this.start = this.pos += marker;
    this.isInAction = true;
    this.parens = 0;
    return token;
  }

  private comment(): Token | undefined {
    const end = this.text.indexOf('*/', this.pos + 2);
    if (end < 0) return this.error('unclosed comment');
    this.pos = end + 2;
    const trims = this.hasRightTrim(this.pos);
    if (!trims && !this.text.startsWith(RIGHT, this.pos)) return this.error('comment ends before closing delimiter');
    this.skipRightDelim(trims);
    return undefined;
  }

  private hasRightTrim(at: number): boolean {
    return (
      this.text.charCodeAt(at + 1) === 0x2d && isSpace(this.text.charCodeAt(at)) && this.text.startsWith(RIGHT, at + 2)
    );
  }

  private skipRightDelim(trims: boolean): void {
    this.pos += RIGHT.length + (trims ? 2 : 0);
    if (trims) this.pos = skipSpace(this.text, this.pos);
    this.start = this.pos;
  }

  private rightDelim(): Token {
    const trims = this.hasRightTrim(this.pos);
    if (trims) this.start = this.pos += 2;
    this.pos += RIGHT.length;
    const token = this.token('rightDelim');
    if (trims) this.start = this.pos = skipSpace(this.text, this.pos);
    this.isInAction = false;
    return token;
  }

  private inAction(): Token {
    const code = this.text.charCodeAt(this.pos);
    if (isSpace(code)) return this.space();
    if (isAsciiLetter(code)) return this.identifier();
    switch (code) {
      case 0x7d:
        if (this.text.charCodeAt(this.pos + 1) === 0x7d)
          return this.parens === 0 ? this.rightDelim() : this.error('unclosed left paren');
        break;
      case 0x2e:
        if (this.pos + 1 < this.text.length && !isDigit(this.text.charCodeAt(this.pos + 1)))
          return this.fieldOrVariable('field');
        break;
      case 0x24:
        return this.fieldOrVariable('variable');
      case 0x22:
        return this.quoted('"', 'string', 'unterminated quoted string');
    }
    return this.rareInAction();
  }

  private rareInAction(): Token {
    const rune = this.read();
    if (rune === EOF) return this.error('unclosed action');
    const char = String.fromCodePoint(rune);
    switch (char) {
      case '=':
        return this.token('assign');
      case ':':
        return this.read() === 0x3d ? this.token('declare') : this.error('expected :=');
      case '|':
        return this.token('pipe');
      case "'": {
        this.pos--;
        return this.quoted("'", 'charConstant', 'unterminated character constant');
      }
      case '`':
        return this.rawString();
      case '(':
        this.parens++;
        return this.token('leftParen');
      case ')':
        return --this.parens < 0 ? this.error('unexpected right paren') : this.token('rightParen');
    }
    return this.word(rune, char);
  }

  private word(rune: number, char: string): Token {
    if ('.+-'.includes(char) || isDigit(rune)) {
      this.pos--;
      return this.number();
    }
    if (isWord(rune)) return this.identifier();
    if (rune >= 0x20 && rune < 0x7f) return this.token('char');
    return this.error(`unrecognized character in action: ${runeName(rune)}`);
  }

  private space(): Token {
    if (this.hasRightTrim(this.pos)) return this.parens === 0 ? this.rightDelim() : this.error('unclosed left paren');
    this.pos = skip(BLANKS, this.text, this.pos);
    // The last space may belong to the closing delimiter.
    if (this.hasRightTrim(this.pos - 1)) this.pos--;
    return this.token('space');
  }

  private identifier(): Token {
    const stop = this.skipAlphanumeric();
    if (!this.isAtTerminator()) return this.error(`bad character ${runeName(stop)}`);
    const word = this.text.slice(this.start, this.pos);
    const keyword = KEYWORDS.get(word);
    if (
      keyword !== undefined &&
      !(keyword === 'break' && !this.options.isBreakKeyword) &&
      !(keyword === 'continue' && !this.options.isContinueKeyword)
    ) {
      return this.token(keyword);
    }
    return this.token(word === 'true' || word === 'false' ? 'bool' : 'identifier');
  }

  private fieldOrVariable(type: 'field' | 'variable'): Token {
    this.pos++;
    if (this.isAtTerminator()) return this.token(type === 'variable' ? type : 'dot');
    const stop = this.skipAlphanumeric();
    return this.isAtTerminator() ? this.token(type) : this.error(`bad character ${runeName(stop)}`);
  }

  /** Gives the character that stands behind. */
  private skipAlphanumeric(): number {
    for (;;) {
      this.pos = skip(ASCII_WORD, this.text, this.pos);
      const before = this.pos;
      const rune = this.read();
      if (!isWord(rune)) {
        this.pos = before;
        return rune;
      }
    }
  }

  private isAtTerminator(): boolean {
    const { text, pos } = this;
    if (pos >= text.length) return true;
    switch (text.charCodeAt(pos)) {
      case 0x20:
      case 0x09:
      case 0x0d:
      case 0x0a:
      case 0x2e:
      case 0x2c:
      case 0x7c:
      case 0x3a:
      case 0x29:
      case 0x28:
        return true;
      default:
        return text.startsWith(RIGHT, pos);
    }
  }

  /** What stands between two quotes; the first of them comes next. */
  private quoted(quote: string, type: TokenType, complaint: string): Token {
    this.pos++;
    for (;;) {
      this.pos = skip(PLAIN_QUOTED, this.text, this.pos);
      const char = this.text.charAt(this.pos++);
      if (char === quote) return this.token(type);
      if (char === '' || char === '\n') return this.error(complaint);
      if (char !== '\\') continue;
      const escaped = this.text.charAt(this.pos++);
      if (escaped === '' || escaped === '\n') return this.error(complaint);
    }
  }

  private rawString(): Token {
    const end = this.text.indexOf('`', this.pos);
    if (end < 0) return this.error('unterminated raw quoted string');
    this.pos = end + 1;
    return this.token('rawString');
  }

  private number(): Token {
    let isGood = this.scanNumber();
    const sign = this.text.charAt(this.pos);
    if (!isGood || (sign !== '+' && sign !== '-')) return isGood ? this.token('number') : this.badNumber();
    isGood = this.scanNumber() && this.text.charAt(this.pos - 1) === 'i';
    return isGood ? this.token('complex') : this.badNumber();
  }

  private badNumber(): Token {
    return this.error(`bad number syntax: ${quoteText(this.text.slice(this.start, this.pos))}`);
  }

  private scanNumber(): boolean {
    NUMBER.lastIndex = this.pos;
    this.pos += NUMBER.exec(this.text)?.[0].length ?? 0;
    const before = this.pos;
    const rune = this.read();
    if (isWord(rune)) return false;
    this.pos = before;
    return true;
  }

  private read(): number {
    const code = this.text.codePointAt(this.pos);
    if (code === undefined) return EOF;
    this.pos += code > 0xffff ? 2 : 1;
    return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
  }
}

function runeName(rune: number): string {
  return fromByteString(formatInteger(rune, 'U', { ...newDirective(), sharp: true }) ?? '');
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

/** A letter, digit or underscore. */
function isWord(rune: number): boolean {
  if (rune < 0x80) return isAsciiLetter(rune) || isDigit(rune);
  return WORD.test(String.fromCodePoint(rune)) && isPrintable(rune);
}

/** An underscore is one to Go. */
function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function hasLeftTrim(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x2d && isSpace(text.charCodeAt(at + 1));
}

function trimmedEnd(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

function skipSpace(text: string, at: number): number {
  return skip(BLANKS, text, at);
}
