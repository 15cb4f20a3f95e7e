import * as token from './lexer.js';
import { Lexer } from './lexer.js';
import { textToNumber } from '../library/number-text.js';
import { Scope } from './scope.js';
import type { ArithmeticOperator, CompareOperator, Expression, FunctionNode, TableField, Variable } from './tree.js';

/** Expressions in expressions, blocks in blocks: more than this is no script of a person. */
const MAX_NESTING = 180;

/** How tightly an operator binds, by the kind of its token; 0 for all other tokens. */
const LEVELS = new Uint8Array(512);
const COMPARE: (CompareOperator | undefined)[] = [];
const ARITHMETIC: (ArithmeticOperator | undefined)[] = [];
const CONCAT_LEVEL = 4;
const UNARY_LEVEL = 7;
const POWER_LEVEL = 8;

LEVELS[token.OR] = 1;
LEVELS[token.AND] = 2;
LEVELS[token.CONCAT] = CONCAT_LEVEL;
function defineOperators<T>(names: (T | undefined)[], list: readonly (readonly [number, T, number])[]): void {
  for (const [kind, name, level] of list) {
    names[kind] = name;
    LEVELS[kind] = level;
  }
}
defineOperators(COMPARE, [
  [0x3c, '<', 3],
  [0x3e, '>', 3],
  [token.LESS_EQUAL, '<=', 3],
  [token.GREATER_EQUAL, '>=', 3],
  [token.EQUAL, '==', 3],
  [token.NOT_EQUAL, '~=', 3],
]);
defineOperators(ARITHMETIC, [
  [0x2b, 'add', 5],
  [0x2d, 'sub', 5],
  [0x2a, 'mul', 6],
  [0x2f, 'div', 6],
  [0x25, 'mod', 6],
  [0x5e, 'pow', POWER_LEVEL],
]);

function unaryOperator(kind: number): 'minus' | 'not' | 'length' | undefined {
  if (kind === 0x2d) return 'minus';
  if (kind === token.NOT) return 'not';
  return kind === 0x23 ? 'length' : undefined;
}

/** Reads expressions. Line numbers follow gopher-lua's grammar, since messages show them. */
export abstract class ExpressionParser {
  protected readonly lexer: Lexer;
  protected readonly scope: Scope;
  /** The expression that was last read in brackets: it cannot be assigned to. */
  protected bracketed: Expression | undefined = undefined;
  private depth = 0;

  constructor(source: string, script: string) {
    this.lexer = new Lexer(source, script);
    this.scope = new Scope(script);
    this.lexer.next();
  }

  /** The body of a function, from its parameters to `end`. */
  protected abstract functionBody(line: number, isMethod: boolean): FunctionNode;

  protected expect(kind: number): void {
    if (this.lexer.kind !== kind) this.lexer.fail('syntax error');
    this.lexer.next();
  }

  protected accept(kind: number): boolean {
    if (this.lexer.kind !== kind) return false;
    this.lexer.next();
    return true;
  }

  protected name(): string {
    const { lexer } = this;
    if (lexer.kind !== token.NAME) lexer.fail('syntax error');
    const { text } = lexer;
    lexer.next();
    return text;
  }

  protected nest(): void {
    if (++this.depth > MAX_NESTING) this.lexer.fail('nested too deeply');
  }

  protected unnest(): void {
    this.depth--;
  }

  protected expression(): Expression {
    return this.binary(0);
  }

  protected expressionList(): Expression[] {
    const list = [this.expression()];
    while (this.accept(0x2c)) list.push(this.expression());
    return list;
  }

  private binary(limit: number): Expression {
    this.nest();
    let left = this.unary();
    for (;;) {
      const { kind } = this.lexer;
      const level = kind < 0 ? 0 : (LEVELS[kind] ?? 0);
      if (level <= limit) break;
      if (level === CONCAT_LEVEL) left = this.concat(left);
      else {
        this.lexer.next();
        const right = this.binary(level === POWER_LEVEL ? level - 1 : level);
        left = this.combine(kind, left, right);
      }
    }
    this.unnest();
    return left;
  }

  private combine(kind: number, left: Expression, right: Expression): Expression {
    const { line } = left;
    if (kind === token.AND) return { kind: 'and', line, left, right };
    if (kind === token.OR) return { kind: 'or', line, left, right };
    const compare = COMPARE[kind];
    if (compare !== undefined) return { kind: 'compare', line, operator: compare, left, right };
    return { kind: 'arithmetic', line, operator: ARITHMETIC[kind] ?? 'add', left, right };
  }

  private concat(first: Expression): Expression {
    const parts = [first];
    while (this.accept(token.CONCAT)) parts.push(this.binary(CONCAT_LEVEL));
    const last = parts[parts.length - 1];
    // Brackets on the right change nothing: it is joined from the right anyway.
    if (last?.kind === 'concat') parts.splice(-1, 1, ...last.parts);
    return { kind: 'concat', line: first.line, parts };
  }

  private unary(): Expression {
    const { kind } = this.lexer;
    const operator = unaryOperator(kind);
    if (operator === undefined) return this.simple();
    this.lexer.next();
    const operand = this.binary(UNARY_LEVEL);
    return { kind: operator, line: operand.line, operand };
  }

  private simple(): Expression {
    const { lexer } = this;
    const { startLine: line, text } = lexer;
    switch (lexer.kind) {
      case token.NIL:
        return this.constant(undefined, line);
      case token.TRUE:
        return this.constant(true, line);
      case token.FALSE:
        return this.constant(false, line);
      case token.NUMBER:
        return this.constant(numberOf(text), line);
      case token.STRING:
        return this.constant(text, line);
      case token.DOTS:
        return this.varargs(line);
      case 0x7b:
        return this.table();
      case token.FUNCTION:
        lexer.next();
        return { kind: 'function', line, fn: this.functionBody(line, false) };
      default:
        return this.suffixed();
    }
  }

  private constant(value: undefined | boolean | number | string, line: number): Expression {
    this.lexer.next();
    return { kind: 'constant', line, value };
  }

  private varargs(line: number): Expression {
    const { fn } = this.scope;
    if (!fn.isVararg) this.scope.complain(line, "cannot use '...' outside a vararg function");
    fn.usesVarargs = true;
    this.lexer.next();
    return { kind: 'vararg', line, single: false };
  }

  /** A name or bracket with everything that hangs on it: fields, calls, methods. */
  protected suffixed(): Expression {
    let node = this.prefix();
    for (;;) {
      const { lexer } = this;
      const { line } = node;
      switch (lexer.kind) {
        case 0x2e:
          lexer.next();
          node = { kind: 'index', line, object: node, key: this.fieldName() };
          break;
        case 0x5b: {
          lexer.next();
          const key = this.expression();
          this.expect(0x5d);
          node = { kind: 'index', line, object: node, key };
          break;
        }
        case 0x3a: {
          lexer.next();
          const name = this.name();
          node = { kind: 'method', line, object: node, name, args: this.callArguments(), single: false };
          break;
        }
        case 0x28:
        case 0x7b:
        case token.STRING:
          node = { kind: 'call', line, callee: node, args: this.callArguments(), single: false };
          break;
        default:
          return node;
      }
    }
  }

  protected fieldName(): Expression {
    const { startLine: line } = this.lexer;
    return { kind: 'constant', line, value: this.name() };
  }

  private prefix(): Expression {
    const { lexer } = this;
    const { startLine: line } = lexer;
    if (lexer.kind === 0x28) {
      lexer.next();
      const inner = this.expression();
      this.expect(0x29);
      if (inner.kind === 'call' || inner.kind === 'method' || inner.kind === 'vararg') inner.single = true;
      if (inner.kind !== 'call' && inner.kind !== 'method') inner.line = line;
      this.bracketed = inner;
      return inner;
    }
    return this.variable(this.name(), line);
  }

  protected variable(name: string, line: number): Expression {
    const variable: Variable | undefined = this.scope.find(name);
    if (variable !== undefined) return { kind: 'local', line, variable };
    return { kind: 'global', line, name, slot: this.scope.globalSlot(name) };
  }

  private callArguments(): Expression[] {
    const { lexer } = this;
    const { kind, startLine: line, text } = lexer;
    if (kind === token.STRING) return [this.constant(text, line)];
    if (kind === 0x7b) return [this.table()];
    this.expect(0x28);
    if (this.accept(0x29)) return [];
    const list = this.expressionList();
    this.expect(0x29);
    return list;
  }

  private table(): Expression {
    const { startLine: line } = this.lexer;
    this.nest();
    this.expect(0x7b);
    const fields: TableField[] = [];
    while (this.lexer.kind !== 0x7d) {
      fields.push(this.field());
      if (!this.separator()) break;
      // gopher-lua lets several separators stand between two fields.
      while (this.separator());
    }
    this.expect(0x7d);
    this.unnest();
    return { kind: 'table', line, fields };
  }

  private separator(): boolean {
    return this.accept(0x2c) || this.accept(0x3b);
  }

  private field(): TableField {
    const { lexer } = this;
    if (lexer.kind === 0x5b) {
      lexer.next();
      const key = this.expression();
      this.expect(0x5d);
      this.expect(0x3d);
      return { key, value: this.expression() };
    }
    if (lexer.kind === token.NAME) {
      const mark = lexer.mark();
      lexer.next();
      if (this.accept(0x3d))
        return { key: { kind: 'constant', line: mark.startLine, value: mark.text }, value: this.expression() };
      lexer.reset(mark);
    }
    return { key: undefined, value: this.expression() };
  }
}

function numberOf(text: string): number {
  // gopher-lua reads what is no number after all, like 0xffffffffffffffff, as NaN.
  return textToNumber(text) ?? NaN;
}
