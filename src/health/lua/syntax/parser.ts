import * as token from './lexer.js';
import { ExpressionParser } from './parse-expression.js';
import type { Block, Expression, FunctionNode, IfClause, Statement, Target } from './tree.js';

export interface Chunk {
  readonly fn: FunctionNode;
  /** Every global that is named anywhere, with its number. */
  readonly globals: ReadonlyMap<string, number>;
}

/** Reads a script. Errors are worded and placed as gopher-lua does. `source` is bytes (see text.ts). */
export function parse(source: string, script: string): Chunk {
  return new Parser(source, script).chunk();
}

class Parser extends ExpressionParser {
  /** Last line of the statement that was read last. */
  private lastLine = 0;

  chunk(): Chunk {
    const statements = this.statements();
    if (this.lexer.kind !== token.END) this.lexer.fail('syntax error');
    const fn = this.scope.closeFunction(statements.length === 0 ? 0 : this.lastLine + 1, statements);
    this.scope.check();
    return { fn, globals: this.scope.globals };
  }

  private statements(): Statement[] {
    this.nest();
    const list: Statement[] = [];
    for (;;) {
      const { kind, startLine } = this.lexer;
      if (kind === 0x3b) this.lexer.next();
      else if (endsBlock(kind)) break;
      else {
        this.lastLine = startLine;
        const statement = this.statement(list.length);
        list.push(statement);
        if (statement.kind !== 'return' && statement.kind !== 'break') continue;
        this.accept(0x3b);
        if (!endsBlock(this.lexer.kind)) this.lexer.fail('syntax error');
        break;
      }
    }
    this.unnest();
    return list;
  }

  private block(isLoop = false): Block {
    this.scope.openBlock(isLoop);
    return this.scope.closeBlock(this.statements());
  }

  private statement(index: number): Statement {
    const { lexer } = this;
    const { startLine: line } = lexer;
    switch (lexer.kind) {
      case token.IF:
        return this.ifStatement(line);
      case token.LOCAL:
        return this.local(line);
      case token.RETURN:
        return this.returnStatement(line);
      case token.FOR:
        return this.forStatement(line);
      case token.WHILE:
        return this.whileStatement(line);
      case token.REPEAT:
        return this.repeat(line);
      case token.FUNCTION:
        return this.functionStatement(line);
      case token.DO: {
        lexer.next();
        const body = this.block();
        this.end();
        return { kind: 'do', line, body };
      }
      case token.BREAK:
        lexer.next();
        this.scope.checkBreak(line);
        return { kind: 'break', line };
      case token.GOTO: {
        lexer.next();
        const node: Statement = { kind: 'goto', line, name: this.name(), target: undefined };
        this.scope.addGoto(node);
        return node;
      }
      case token.DOUBLE_COLON: {
        lexer.next();
        const node: Statement = { kind: 'label', line, name: this.name() };
        this.expect(token.DOUBLE_COLON);
        this.scope.addLabel(node, index);
        return node;
      }
      default:
        return this.expressionStatement();
    }
  }

  private end(): void {
    this.lastLine = this.lexer.startLine;
    this.expect(token.BLOCK_END);
  }

  private ifStatement(line: number): Statement {
    const clauses: IfClause[] = [];
    do {
      this.lexer.next();
      const condition = this.expression();
      this.expect(token.THEN);
      clauses.push({ condition, body: this.block() });
    } while (this.lexer.kind === token.ELSEIF);
    const otherwise = this.accept(token.ELSE) ? this.block() : undefined;
    this.end();
    return { kind: 'if', line, clauses, otherwise };
  }

  private whileStatement(line: number): Statement {
    this.lexer.next();
    const condition = this.expression();
    this.expect(token.DO);
    const body = this.block(true);
    this.end();
    return { kind: 'while', line, condition, body };
  }

  private repeat(line: number): Statement {
    this.lexer.next();
    this.scope.openBlock(true);
    const statements = this.statements();
    this.expect(token.UNTIL);
    const condition = this.expression();
    this.lastLine = condition.line;
    return { kind: 'repeat', line, condition, body: this.scope.closeBlock(statements, true) };
  }

  private forStatement(line: number): Statement {
    this.lexer.next();
    const first = this.name();
    if (this.accept(0x3d)) return this.numericFor(line, first);
    const names = [first];
    while (this.accept(0x2c)) names.push(this.name());
    this.expect(token.IN);
    const values = this.expressionList();
    this.expect(token.DO);
    this.scope.openBlock(true);
    const variables = names.map((name) => this.scope.declare(name));
    const body = this.scope.closeBlock(this.statements());
    this.end();
    return { kind: 'genericFor', line, variables, values, body };
  }

  private numericFor(line: number, name: string): Statement {
    const start = this.expression();
    this.expect(0x2c);
    const limit = this.expression();
    const step = this.accept(0x2c) ? this.expression() : undefined;
    this.expect(token.DO);
    this.scope.openBlock(true);
    const variable = this.scope.declare(name);
    const body = this.scope.closeBlock(this.statements());
    this.end();
    return { kind: 'numericFor', line, variable, start, limit, step, body };
  }

  private local(line: number): Statement {
    this.lexer.next();
    if (this.accept(token.FUNCTION)) {
      const variables = [this.scope.declare(this.name())];
      return { kind: 'localAssign', line, variables, values: [this.functionValue(this.lexer.startLine)] };
    }
    const names = [this.name()];
    while (this.accept(0x2c)) names.push(this.name());
    if (!this.accept(0x3d))
      return { kind: 'localAssign', line, variables: names.map((name) => this.scope.declare(name)), values: [] };
    if (names.length > 1 || this.lexer.kind !== token.FUNCTION) {
      const values = this.expressionList();
      return { kind: 'localAssign', line, variables: names.map((name) => this.scope.declare(name)), values };
    }
    // `local f = function … end`: gopher-lua lets the function see its own name.
    const variables = names.map((name) => this.scope.declare(name));
    return { kind: 'localAssign', line, variables, values: this.expressionList() };
  }

  private functionValue(line: number, isMethod = false): Expression {
    return { kind: 'function', line, fn: this.functionBody(line, isMethod) };
  }

  private functionStatement(line: number): Statement {
    this.lexer.next();
    const { startLine } = this.lexer;
    let target = this.variable(this.name(), startLine) as Target;
    for (;;) {
      const { kind } = this.lexer;
      if (kind !== 0x2e && kind !== 0x3a) break;
      this.lexer.next();
      const key = this.fieldName();
      target = { kind: 'index', line: kind === 0x2e ? key.line : target.line, object: target, key };
      if (kind === 0x3a)
        return { kind: 'assign', line, targets: [target], values: [this.functionValue(this.lexer.startLine, true)] };
    }
    return { kind: 'assign', line, targets: [target], values: [this.functionValue(this.lexer.startLine)] };
  }

  protected functionBody(line: number, isMethod: boolean): FunctionNode {
    const { lexer, scope } = this;
    const fn = scope.openFunction(line);
    if (isMethod) fn.params.push(scope.declare('self'));
    this.expect(0x28);
    if (!this.accept(0x29)) {
      this.parameters(fn);
      this.expect(0x29);
    }
    if (fn.isVararg) fn.argTable = scope.declare('arg');
    const statements = this.statements();
    const { startLine } = lexer;
    this.end();
    return scope.closeFunction(startLine, statements);
  }

  private parameters(fn: FunctionNode): void {
    do {
      if (this.accept(token.DOTS)) {
        fn.isVararg = true;
        return;
      }
      fn.params.push(this.scope.declare(this.name()));
    } while (this.accept(0x2c));
  }

  private returnStatement(line: number): Statement {
    this.lexer.next();
    const { kind } = this.lexer;
    const values = endsBlock(kind) || kind === 0x3b ? [] : this.expressionList();
    return { kind: 'return', line, values };
  }

  private expressionStatement(): Statement {
    const { lexer } = this;
    const first = this.suffixed();
    const { line } = first;
    if ((lexer.kind !== 0x3d && lexer.kind !== 0x2c) || first === this.bracketed) {
      if (first.kind !== 'call' && first.kind !== 'method') return lexer.fail('parse error');
      return { kind: 'call', line, call: first };
    }
    const targets = [this.target(first)];
    while (this.accept(0x2c)) targets.push(this.target(this.suffixed()));
    this.expect(0x3d);
    return { kind: 'assign', line, targets, values: this.expressionList() };
  }

  private target(node: Expression): Target {
    if (node !== this.bracketed && (node.kind === 'local' || node.kind === 'global' || node.kind === 'index'))
      return node;
    return this.lexer.fail('syntax error');
  }
}

function endsBlock(kind: number): boolean {
  return (
    kind === token.BLOCK_END ||
    kind === token.ELSE ||
    kind === token.ELSEIF ||
    kind === token.UNTIL ||
    kind === token.END
  );
}
