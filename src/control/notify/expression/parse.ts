import { Fault } from '../../../model/faults/index.js';
import { isBuiltin, takesPredicate } from './builtins.js';
import type { Node } from './node.js';
import { tokensOf, type Token } from './token.js';

/** As expr binds them; a higher number binds tighter. */
const BINARY: Readonly<Record<string, number>> = {
  '|': 0,
  or: 10,
  '||': 10,
  and: 15,
  '&&': 15,
  '==': 20,
  '!=': 20,
  '<': 20,
  '>': 20,
  '<=': 20,
  '>=': 20,
  in: 20,
  matches: 20,
  contains: 20,
  startsWith: 20,
  endsWith: 20,
  '..': 25,
  '+': 30,
  '-': 30,
  '*': 60,
  '/': 60,
  '%': 60,
  '**': 100,
  '^': 100,
  '??': 500,
};
const UNARY: Readonly<Record<string, number>> = { not: 50, '!': 50, '-': 90, '+': 90 };
const NEGATABLE = new Set(['in', 'matches', 'contains', 'startsWith', 'endsWith']);
const RIGHT = new Set(['**', '^']);
const CONSTANTS: Readonly<Record<string, null | boolean>> = { nil: null, true: true, false: false };
/** Deeper ones are no conditions. */
const MAX_DEPTH = 100;

/** Parses an expression; a Fault has the position of the error. */
export function parseExpression(source: string): Node {
  const parser = new Parser(tokensOf(source));
  const node = parser.expression(0);
  parser.end();
  return node;
}

class Parser {
  #at = 0;
  #depth = 0;
  #predicates = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  end(): void {
    if (this.#current.kind !== 'end') throw this.#unexpected();
  }

  expression(least: number): Node {
    if (++this.#depth > MAX_DEPTH) throw new Fault('VALUE_INVALID', 'the expression is nested too deeply');
    let left = this.#operand();
    for (;;) {
      const isNegated = this.#isWord('not') && NEGATABLE.has(this.#peek(1).text);
      const sign = (isNegated ? this.#peek(1) : this.#current).text;
      const binds = this.#operator(isNegated ? this.#peek(1) : this.#current);
      if (binds === undefined || binds < least) break;
      this.#at += isNegated ? 2 : 1;
      left =
        sign === '|'
          ? this.#piped(left)
          : { kind: 'binary', sign, left, right: this.expression(RIGHT.has(sign) ? binds : binds + 1) };
      if (isNegated) left = { kind: 'unary', sign: 'not', of: left };
    }
    if (least === 0 && this.#take('?')) left = this.#choice(left);
    this.#depth--;
    return left;
  }

  get #current(): Token {
    return this.#peek(0);
  }

  #peek(ahead: number): Token {
    return this.tokens[Math.min(this.#at + ahead, this.tokens.length - 1)] ?? { kind: 'end', text: '', at: 0 };
  }

  #isWord(text: string): boolean {
    return this.#current.kind === 'name' && this.#current.text === text;
  }

  #operator({ kind, text }: Token): number | undefined {
    return (kind === 'sign' || kind === 'name') && Object.hasOwn(BINARY, text) ? BINARY[text] : undefined;
  }

  #is(sign: string): boolean {
    return this.#current.kind === 'sign' && this.#current.text === sign;
  }

  #take(sign: string): boolean {
    if (!this.#is(sign)) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw this.#unexpected(sign);
  }

  #unexpected(wanted?: string): Fault {
    const { kind, text, at } = this.#current;
    return new Fault(
      'VALUE_INVALID',
      `unexpected ${kind === 'end' ? 'end' : JSON.stringify(text)} at ` +
        `${at + 1}${wanted === undefined ? '' : `, expected ${JSON.stringify(wanted)}`}`,
    );
  }

  #choice(test: Node): Node {
    if (this.#take(':')) return { kind: 'choice', test, yes: test, no: this.expression(0) };
    const yes = this.expression(0);
    this.#expect(':');
    return { kind: 'choice', test, yes, no: this.expression(0) };
  }

  /** `list | filter(...)`: the first argument comes before the pipe. */
  #piped(left: Node): Node {
    const { kind, text } = this.#current;
    if (kind !== 'name' || !isBuiltin(text)) throw this.#unexpected();
    this.#at++;
    return this.#continued({ kind: 'builtin', name: text, args: [left, ...this.#arguments(text)] });
  }

  #operand(): Node {
    const { kind, text } = this.#current;
    if ((kind === 'sign' || kind === 'name') && Object.hasOwn(UNARY, text)) {
      this.#at++;
      return { kind: 'unary', sign: text, of: this.expression(UNARY[text] ?? 0) };
    }
    return this.#continued(this.#primary());
  }

  #primary(): Node {
    const token = this.#current;
    if (token.kind === 'end') throw this.#unexpected();
    this.#at++;
    if (token.kind === 'number') return { kind: 'value', value: Number(token.text) };
    if (token.kind === 'text') return { kind: 'value', value: token.text };
    if (token.kind === 'name') return this.#named(token.text);
    if (token.text === '(') {
      const inner = this.expression(0);
      this.#expect(')');
      return inner;
    }
    if (token.text === '[') return { kind: 'list', items: this.#until(']', () => this.expression(0)) };
    if (token.text === '{') return { kind: 'map', entries: this.#until('}', () => this.#entry()) };
    if (this.#predicates > 0 && token.text === '#') return { kind: 'item' };
    if (this.#predicates > 0 && token.text === '.')
      return { kind: 'member', of: { kind: 'item' }, key: { kind: 'value', value: this.#word() }, isOptional: false };
    this.#at--;
    throw this.#unexpected();
  }

  #named(name: string): Node {
    if (Object.hasOwn(BINARY, name)) {
      this.#at--;
      throw this.#unexpected();
    }
    if (Object.hasOwn(CONSTANTS, name)) return { kind: 'value', value: CONSTANTS[name] ?? null };
    return isBuiltin(name) && this.#is('(')
      ? { kind: 'builtin', name, args: this.#arguments(name) }
      : { kind: 'name', name };
  }

  #word(): string {
    const { kind, text } = this.#current;
    if (kind !== 'name') throw this.#unexpected();
    this.#at++;
    return text;
  }

  #entry(): readonly [Node, Node] {
    const { kind, text } = this.#current;
    let key: Node;
    if (kind === 'sign' && text === '(') key = this.#primary();
    else {
      if (kind === 'end' || kind === 'sign') throw this.#unexpected();
      this.#at++;
      key = { kind: 'value', value: text };
    }
    this.#expect(':');
    return [key, this.expression(0)];
  }

  #until<T>(end: string, read: () => T): T[] {
    const items: T[] = [];
    while (!this.#take(end)) {
      if (items.length > 0) this.#expect(',');
      if (this.#take(end)) break;
      items.push(read());
    }
    return items;
  }

  #arguments(name: string): Node[] {
    this.#expect('(');
    return this.#until(')', () =>
      takesPredicate(name) && (this.#is('{') || this.#is('#') || this.#is('.'))
        ? this.#predicate()
        : this.expression(0),
    );
  }

  #predicate(): Node {
    this.#predicates++;
    const hasBraces = this.#take('{');
    const node = this.expression(0);
    if (hasBraces) this.#expect('}');
    this.#predicates--;
    return node;
  }

  /** Members, indexes, slices and calls that follow. */
  #continued(start: Node): Node {
    let node = start;
    let isChain = false;
    for (;;) {
      if (this.#is('.') || this.#is('?.')) {
        const isOptional = this.#current.text === '?.';
        this.#at++;
        isChain ||= isOptional;
        const isIndex = isOptional && this.#take('[');
        const key: Node = isIndex ? this.expression(0) : { kind: 'value', value: this.#word() };
        if (isIndex) this.#expect(']');
        node = { kind: 'member', of: node, key, isOptional };
      } else if (this.#take('[')) node = this.#index(node);
      else if (this.#is('(')) {
        this.#at++;
        node = { kind: 'call', of: node, args: this.#until(')', () => this.expression(0)) };
      } else return isChain ? { kind: 'chain', of: node } : node;
    }
  }

  #index(of: Node): Node {
    const from = this.#is(':') ? undefined : this.expression(0);
    if (!this.#take(':')) {
      this.#expect(']');
      return { kind: 'member', of, key: from ?? { kind: 'value', value: null }, isOptional: false };
    }
    const to = this.#is(']') ? undefined : this.expression(0);
    this.#expect(']');
    return { kind: 'slice', of, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  }
}
