import { Lexer, type LexerOptions } from './lexer.js';
import { TemplateError } from '../template-error.js';
import { tokenText, type Token, type TokenType } from './token.js';

/**
 * Tokens with three of look-ahead. An error is placed at the line of the token that was read last from the text,
 * however many of them have been put back: Go does the same.
 */
export class TokenStream {
  private readonly lexer: Lexer;
  private readonly tokens: Token[] = [];
  private waiting = 0;
  /** Line of the action being read; 0 outside. */
  actionLine = 0;

  constructor(
    readonly name: string,
    text: string,
    options: LexerOptions,
  ) {
    this.lexer = new Lexer(text, options);
  }

  next(): Token {
    if (this.waiting > 0) this.waiting--;
    else this.tokens[0] = this.lexer.next();
    return this.at(this.waiting);
  }

  peek(): Token {
    if (this.waiting === 0) {
      this.waiting = 1;
      this.tokens[0] = this.lexer.next();
    }
    return this.at(this.waiting - 1);
  }

  /** Puts the last token back. */
  back(): void {
    this.waiting++;
  }

  /** Puts back one token before the one that is already back. */
  backBefore(first: Token): void {
    this.tokens[1] = first;
    this.waiting = 2;
  }

  backBeforeSpace(first: Token, space: Token): void {
    this.tokens[1] = space;
    this.tokens[2] = first;
    this.waiting = 3;
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.type !== 'space') return token;
    }
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.back();
    return token;
  }

  expect(types: readonly TokenType[], context: string): Token {
    const token = this.nextNonSpace();
    return types.includes(token.type) ? token : this.unexpected(token, context);
  }

  unexpected(token: Token, context: string): never {
    if (token.type !== 'error') return this.fail(`unexpected ${tokenText(token)} in ${context}`);
    if (this.actionLine === 0 || this.actionLine === token.line) return this.fail(token.text);
    const start = `${token.text.endsWith(' action') ? '' : ' in action'} started at ${this.name}:${this.actionLine}`;
    return this.fail(token.text + start);
  }

  fail(message: string): never {
    throw new TemplateError('parse', `template: ${this.name}:${this.at(0).line}: ${message}`);
  }

  private at(index: number): Token {
    return this.tokens[index] ?? { type: 'eof', pos: 0, text: 'EOF', line: 0 };
  }
}
