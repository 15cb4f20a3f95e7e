import { CelSyntaxError, type ListItem, type Literal, type Macro, type MapEntry, type Node } from './ast.js';
import { tokenize, type Token } from './lexer.js';

const MAX_DEPTH = 200;
/** Operators and selections in a row; each adds a level to the tree that later steps walk recursively. */
const MAX_CHAIN = 1500;
const RESERVED = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'in',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);
const RELATIONS = new Set(['<', '<=', '>', '>=', '==', '!=', 'in']);
const FUNCTION_OF: ReadonlyMap<string, string> = new Map([['in', '@in']]);

/** Parses CEL text; throws CelSyntaxError with the place of the mistake. */
export function parse(text: string): Node {
  return new Parser(tokenize(text)).whole();
}

class Parser {
  #next = 0;
  #depth = 0;
  #chained = 0;

  constructor(readonly tokens: readonly Token[]) {}

  whole(): Node {
    const node = this.#expression();
    const token = this.#peek();
    if (token.kind !== 'end') throw this.#unexpected(token);
    return node;
  }

  #peek(): Token {
    return this.tokens[this.#next] ?? { kind: 'end', at: 0, text: '<EOF>' };
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  /** The next token's text, where it is an operator or the word `in`. */
  #operator(): string {
    const token = this.#peek();
    return token.kind === 'op' || (token.kind === 'ident' && token.text === 'in') ? token.text : '';
  }

  #accept(text: string): Token | undefined {
    return this.#operator() === text ? this.#take() : undefined;
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token === undefined) throw this.#unexpected(this.#peek(), `, expecting '${text}'`);
    return token;
  }

  #unexpected(token: Token, expecting = ''): CelSyntaxError {
    const printed = token.kind === 'literal' ? literalText(token.literal) : token.text;
    return new CelSyntaxError(token.at, `Syntax error: mismatched input '${printed}'${expecting}`);
  }

  /** Counts one more level of the tree. */
  #link(at: number): void {
    if (++this.#chained > MAX_CHAIN) throw new CelSyntaxError(at, 'expression recursion limit exceeded: 250');
  }

  #expression(): Node {
    if (++this.#depth > MAX_DEPTH)
      throw new CelSyntaxError(this.#peek().at, 'expression recursion limit exceeded: 250');
    const test = this.#or();
    const mark = this.#accept('?');
    if (mark !== undefined) {
      const then = this.#or();
      this.#expect(':');
      const otherwise = this.#expression();
      this.#depth--;
      return { kind: 'conditional', at: mark.at, test, then, otherwise };
    }
    this.#depth--;
    return test;
  }

  #or(): Node {
    return this.#chain('||', 'or', () => this.#chain('&&', 'and', () => this.#relation()));
  }

  #chain(operator: '||' | '&&', kind: 'or' | 'and', operand: () => Node): Node {
    let left = operand();
    for (let token = this.#accept(operator); token !== undefined; token = this.#accept(operator)) {
      this.#link(token.at);
      left = { kind, at: token.at, left, right: operand() };
    }
    return left;
  }

  #relation(): Node {
    let left = this.#binary(['+', '-'], () => this.#binary(['*', '/', '%'], () => this.#unary()));
    while (RELATIONS.has(this.#operator())) {
      const token = this.#take();
      this.#link(token.at);
      const operator = token.kind === 'literal' ? '' : token.text;
      const right = this.#binary(['+', '-'], () => this.#binary(['*', '/', '%'], () => this.#unary()));
      left = { kind: 'call', at: token.at, name: FUNCTION_OF.get(operator) ?? `_${operator}_`, args: [left, right] };
    }
    return left;
  }

  #binary(operators: readonly string[], operand: () => Node): Node {
    let left = operand();
    while (operators.includes(this.#operator())) {
      const token = this.#take();
      this.#link(token.at);
      left = {
        kind: 'call',
        at: token.at,
        name: `_${token.kind === 'op' ? token.text : ''}_`,
        args: [left, operand()],
      };
    }
    return left;
  }

  #unary(): Node {
    const operator = this.#operator();
    if (operator !== '!' && operator !== '-') return this.#member();
    const token = this.#take();
    if (++this.#depth > MAX_DEPTH) throw new CelSyntaxError(token.at, 'expression recursion limit exceeded: 250');
    const next = this.#peek();
    const negative =
      operator === '-' &&
      next.kind === 'literal' &&
      next.at === token.at + 1 &&
      (next.literal.type === 'int' || next.literal.type === 'double');
    const operand: Node = negative ? this.#member(token.at) : this.#unary();
    this.#depth--;
    return negative ? operand : { kind: 'call', at: token.at, name: operator === '!' ? '!_' : '-_', args: [operand] };
  }

  #member(minusAt?: number): Node {
    let node = this.#primary(minusAt);
    for (let token = this.#peek(); ; token = this.#peek()) {
      if (this.#accept('.') !== undefined) node = this.#selection(node, token.at);
      else if (this.#accept('[') !== undefined) {
        const optional = this.#accept('?') !== undefined;
        const key = this.#expression();
        this.#expect(']');
        node = { kind: 'index', at: token.at, of: node, key, optional };
      } else return node;
      this.#link(token.at);
    }
  }

  #selection(of: Node, at: number): Node {
    const optional = this.#accept('?') !== undefined;
    const token = this.#take();
    if (token.kind !== 'ident' || token.text === 'in') throw this.#unexpected(token, ', expecting IDENTIFIER');
    const open = this.#peek();
    if (optional || this.#accept('(') === undefined) return { kind: 'select', at, of, field: token.text, optional };
    const args = this.#arguments(')');
    return expandMethod(of, token.text, args, open.at);
  }

  #arguments(close: string): Node[] {
    const args: Node[] = [];
    while (this.#accept(close) === undefined) {
      if (args.length > 0) this.#expect(',');
      args.push(this.#expression());
    }
    return args;
  }

  #primary(minusAt?: number): Node {
    const token = this.#take();
    if (token.kind === 'literal')
      return {
        kind: 'literal',
        at: minusAt ?? token.at,
        literal: signed(token.literal, token.at, minusAt !== undefined),
      };
    if (token.kind === 'ident') return this.#name(token.text, token.at);
    if (token.kind === 'op') {
      if (token.text === '(') {
        const inner = this.#expression();
        this.#expect(')');
        return inner;
      }
      if (token.text === '[') return { kind: 'list', at: token.at, items: this.#items() };
      if (token.text === '{') return { kind: 'map', at: token.at, entries: this.#entries() };
      if (token.text === '.') return this.#primary();
    }
    throw this.#unexpected(token);
  }

  #name(name: string, at: number): Node {
    if (name === 'true' || name === 'false')
      return { kind: 'literal', at, literal: { type: 'bool', value: name === 'true' } };
    if (name === 'null') return { kind: 'literal', at, literal: { type: 'null' } };
    if (RESERVED.has(name))
      throw new CelSyntaxError(
        at,
        name === 'in' ? `Syntax error: mismatched input 'in'` : `reserved identifier: ${name}`,
      );
    const open = this.#accept('(');
    if (open === undefined) return { kind: 'ident', at, name };
    const args = this.#arguments(')');
    return name === 'has' ? expandHas(args, open.at) : { kind: 'call', at: open.at, name, args };
  }

  #items(): ListItem[] {
    const items: ListItem[] = [];
    while (this.#accept(']') === undefined) {
      if (items.length > 0) {
        this.#expect(',');
        if (this.#accept(']') !== undefined) break;
      }
      const optional = this.#accept('?') !== undefined;
      items.push({ value: this.#expression(), optional });
    }
    return items;
  }

  #entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    while (this.#accept('}') === undefined) {
      if (entries.length > 0) {
        this.#expect(',');
        if (this.#accept('}') !== undefined) break;
      }
      const optional = this.#accept('?') !== undefined;
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), optional });
    }
    return entries;
  }
}

function signed(literal: Literal, at: number, negative: boolean): Literal {
  if (literal.type === 'int') {
    if (!negative && literal.value === 2n ** 63n) throw new CelSyntaxError(at, 'invalid int literal');
    return negative ? { type: 'int', value: -literal.value } : literal;
  }
  return negative && literal.type === 'double' ? { type: 'double', value: -literal.value } : literal;
}

function literalText(literal: Literal): string {
  if (literal.type === 'null') return 'null';
  return literal.type === 'string' ? JSON.stringify(literal.value) : String(literal.value);
}

function expandHas(args: readonly Node[], at: number): Node {
  const [of] = args;
  if (args.length !== 1 || of?.kind !== 'select' || of.optional)
    throw new CelSyntaxError(of?.at ?? at, 'invalid argument to has() macro');
  return { kind: 'has', at, of: of.of, field: of.field };
}

/** Loop macros by name and number of arguments: which of the arguments are variables, and which is the filter. */
const LOOPS: ReadonlyMap<string, { readonly macro: Macro; readonly vars: number; readonly filter?: boolean }> = new Map(
  [
    ['all/2', { macro: 'all', vars: 1 }],
    ['exists/2', { macro: 'exists', vars: 1 }],
    ['exists_one/2', { macro: 'existsOne', vars: 1 }],
    ['existsOne/2', { macro: 'existsOne', vars: 1 }],
    ['map/2', { macro: 'map', vars: 1 }],
    ['map/3', { macro: 'map', vars: 1, filter: true }],
    ['filter/2', { macro: 'filter', vars: 1 }],
    ['all/3', { macro: 'all', vars: 2 }],
    ['exists/3', { macro: 'exists', vars: 2 }],
    ['existsOne/3', { macro: 'existsOne', vars: 2 }],
    ['exists_one/3', { macro: 'existsOne', vars: 2 }],
    ['transformList/3', { macro: 'transformList', vars: 2 }],
    ['transformList/4', { macro: 'transformList', vars: 2, filter: true }],
    ['transformMap/3', { macro: 'transformMap', vars: 2 }],
    ['transformMap/4', { macro: 'transformMap', vars: 2, filter: true }],
    ['transformMapEntry/3', { macro: 'transformMapEntry', vars: 2 }],
    ['transformMapEntry/4', { macro: 'transformMapEntry', vars: 2, filter: true }],
  ],
);

function expandMethod(of: Node, name: string, args: readonly Node[], at: number): Node {
  const loop = LOOPS.get(`${name}/${args.length}`);
  const body = args.at(-1);
  if (loop !== undefined && body !== undefined) {
    const vars = args.slice(0, loop.vars).map(simpleName);
    if (vars.length === 2 && vars[0] === vars[1])
      throw new CelSyntaxError(args[1]?.at ?? at, `duplicate variable name: ${vars[0] ?? ''}`);
    const filter = loop.filter === true ? args.at(-2) : undefined;
    return { kind: 'loop', at, macro: loop.macro, range: of, vars, ...(filter === undefined ? {} : { filter }), body };
  }
  if (
    (name === 'optMap' || name === 'optFlatMap') &&
    args.length === 2 &&
    body !== undefined &&
    args[0] !== undefined
  ) {
    return { kind: 'optional-map', at, flat: name === 'optFlatMap', of, name: simpleName(args[0]), body };
  }
  return { kind: 'method', at, name, of, args };
}

function simpleName(node: Node): string {
  if (node.kind !== 'ident') throw new CelSyntaxError(node.at, 'argument must be a simple name');
  return node.name;
}
