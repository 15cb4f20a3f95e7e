import { readTextPiece, readToken, type TextPiece, type Token } from './lexer.js';
import { JqSyntaxError } from './syntax.js';

/** The tokens of an expression, one ahead. */
export class TokenStream {
  #token: Token;
  #next: number;

  constructor(readonly source: string) {
    ({ token: this.#token, next: this.#next } = readToken(source, 0));
  }

  get token(): Token {
    return this.#token;
  }

  advance(): void {
    ({ token: this.#token, next: this.#next } = readToken(this.source, this.#next));
  }

  /** The character right behind the current token. */
  following(): string {
    return this.source.charAt(this.#next);
  }

  /** The next piece of a text whose opening quote, or the end of whose inner expression, is the current token. */
  textPiece(): TextPiece {
    const piece = readTextPiece(this.source, this.#next);
    this.#next = piece.next;
    return piece;
  }

  isSign(text: string): boolean {
    return this.#token.kind === 'sign' && this.#token.text === text;
  }

  isWord(text: string): boolean {
    return this.#token.kind === 'keyword' && this.#token.text === text;
  }

  isA(kind: Token['kind']): boolean {
    return this.#token.kind === kind;
  }

  take(sign: string): boolean {
    const found = this.isSign(sign);
    if (found) this.advance();
    return found;
  }

  takeWord(word: string): boolean {
    const found = this.isWord(word);
    if (found) this.advance();
    return found;
  }

  expect(sign: string): void {
    if (!this.take(sign)) this.unexpected(sign);
  }

  expectWord(word: string): void {
    if (!this.takeWord(word)) this.unexpected(word);
  }

  /** The text of the current token, which must be of this kind. */
  expectA(kind: Token['kind']): string {
    const { text } = this.#token;
    if (this.#token.kind !== kind) this.unexpected();
    this.advance();
    return text;
  }

  unexpected(wanted?: string): never {
    const { kind, text, at } = this.#token;
    const found = kind === 'end' ? 'the end' : JSON.stringify(kind === 'field' ? `.${text}` : text);
    throw new JqSyntaxError(
      `unexpected ${found}${wanted === undefined ? '' : `, expected ${JSON.stringify(wanted)}`}`,
      at,
    );
  }
}
