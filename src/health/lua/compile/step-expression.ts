import { calleeName, checkCount, method } from './call.js';
import { leavesKey } from './table.js';
import type { Compiler, Evaluate } from './types.js';
import type { Frame } from '../frame.js';
import {
  arithmetic,
  compute,
  concat,
  equals,
  index,
  length,
  lessOrEqual,
  lessThan,
  negate,
  rawSet,
} from '../operations.js';
import { yieldHost } from '../resume.js';
import type { LuaRun } from '../run.js';
import {
  isMulti,
  type ArithmeticNode,
  type CallNode,
  type CompareNode,
  type Expression,
  type MethodNode,
  type TableNode,
} from '../syntax/tree.js';
import { isTrue, LuaFunction, type LuaValue, type LuaValues } from '../value.js';

/** Work that a coroutine can leave in the middle: it gives what is yielded and takes what resume() passes. */
export type Steps<T> = Generator<LuaValues, T, LuaValues>;

/**
 * Walks the tree of a function inside a coroutine. What contains no call cannot be left, so it runs as the same
 * closures as anywhere else; only the way down to a call is walked step by step.
 */
export class ExpressionStepper {
  private readonly closures = new Map<Expression, Evaluate>();
  private readonly known = new Map<Expression, boolean>();

  constructor(protected readonly compiler: Compiler) {}

  /** Is there a call in it, outside of inner functions? */
  protected suspends(node: Expression | undefined): boolean {
    if (node === undefined) return false;
    let answer = this.known.get(node);
    if (answer === undefined) {
      answer = this.containsCall(node);
      this.known.set(node, answer);
    }
    return answer;
  }

  private containsCall(node: Expression): boolean {
    switch (node.kind) {
      case 'call':
      case 'method':
        return true;
      case 'index':
        return this.suspends(node.object) || this.suspends(node.key);
      case 'and':
      case 'or':
      case 'compare':
      case 'arithmetic':
        return this.suspends(node.left) || this.suspends(node.right);
      case 'concat':
        return node.parts.some((part) => this.suspends(part));
      case 'not':
      case 'minus':
      case 'length':
        return this.suspends(node.operand);
      case 'table':
        return node.fields.some(({ key, value }) => this.suspends(key) || this.suspends(value));
      default:
        return false;
    }
  }

  private plain(node: Expression): Evaluate {
    let closure = this.closures.get(node);
    if (closure === undefined) {
      closure = this.compiler.expression(node);
      this.closures.set(node, closure);
    }
    return closure;
  }

  *expression(run: LuaRun, frame: Frame, node: Expression): Steps<LuaValue> {
    run.chargeSteps(4);
    if (!this.suspends(node)) return this.plain(node)(run, frame);
    switch (node.kind) {
      case 'call':
      case 'method':
        return (yield* this.call(run, frame, node))[0];
      case 'and': {
        const left = yield* this.expression(run, frame, node.left);
        return isTrue(left) ? yield* this.expression(run, frame, node.right) : left;
      }
      case 'or': {
        const left = yield* this.expression(run, frame, node.left);
        return isTrue(left) ? left : yield* this.expression(run, frame, node.right);
      }
      case 'compare':
        return yield* this.compare(run, frame, node);
      case 'arithmetic':
        return yield* this.arithmetic(run, frame, node);
      case 'table':
        return yield* this.table(run, frame, node);
      default:
        return yield* this.operator(run, frame, node);
    }
  }

  private *operator(run: LuaRun, frame: Frame, node: Expression): Steps<LuaValue> {
    const operands: LuaValue[] = [];
    for (const operand of operandsOf(node)) operands.push(yield* this.expression(run, frame, operand));
    const [first, second] = operands;
    frame.site = { line: node.line, name: '?' };
    switch (node.kind) {
      case 'index':
        return index(run, first, second);
      case 'concat':
        return concat(run, operands);
      case 'not':
        return !isTrue(first);
      case 'minus':
        return negate(run, first);
      default:
        return length(run, first);
    }
  }

  private *compare(run: LuaRun, frame: Frame, { operator, left, right, line }: CompareNode): Steps<boolean> {
    const a = yield* this.expression(run, frame, left);
    const b = yield* this.expression(run, frame, right);
    frame.site = { line, name: '?' };
    switch (operator) {
      case '==':
        return equals(run, a, b);
      case '~=':
        return !equals(run, a, b);
      case '<':
        return lessThan(run, a, b);
      case '<=':
        return lessOrEqual(run, a, b);
      case '>':
        return lessThan(run, b, a);
      case '>=':
        return lessOrEqual(run, b, a);
    }
  }

  private *arithmetic(run: LuaRun, frame: Frame, { operator, left, right, line }: ArithmeticNode): Steps<LuaValue> {
    const a = yield* this.expression(run, frame, left);
    const b = yield* this.expression(run, frame, right);
    if (typeof a === 'number' && typeof b === 'number') return compute(operator, a, b);
    frame.site = { line, name: '?' };
    return arithmetic(run, operator, a, b);
  }

  private *table(run: LuaRun, frame: Frame, { fields, line }: TableNode): Steps<LuaValue> {
    const table = run.newTable();
    const items: LuaValue[] = [];
    for (const [i, { key, value }] of fields.entries()) {
      if (key === undefined && i === fields.length - 1) items.push(...(yield* this.list(run, frame, [value])));
      else if (key === undefined) items.push(yield* this.expression(run, frame, value));
      else {
        const name = yield* this.expression(run, frame, key);
        const content = yield* this.expression(run, frame, value);
        frame.site = { line, name: '?' };
        rawSet(run, table, name, content);
        const leaves = items.length > 0 && i === fields.length - 1 && isMulti(value);
        if (leaves && leavesKey(this.compiler, key)) items.push(name);
        if (leaves) items.push(content);
      }
    }
    items.forEach((item, i) => table.setInt(i + 1, item));
    return table;
  }

  /** All values of a list of expressions. */
  *list(run: LuaRun, frame: Frame, nodes: readonly Expression[]): Steps<LuaValue[]> {
    const values: LuaValue[] = [];
    for (const [i, node] of nodes.entries()) {
      if (i < nodes.length - 1 || !isMulti(node)) values.push(yield* this.expression(run, frame, node));
      else {
        const rest = node.kind === 'vararg' ? frame.varargs : yield* this.call(run, frame, node);
        checkCount(run, values.length + rest.length);
        values.push(...rest);
      }
    }
    return values;
  }

  *call(run: LuaRun, frame: Frame, node: CallNode | MethodNode): Steps<LuaValues> {
    const [callee, args] = yield* this.callee(run, frame, node);
    return yield* callSteps(run, callee, args);
  }

  /** What a call calls and with what; the frame then stands at the call. */
  *callee(run: LuaRun, frame: Frame, node: CallNode | MethodNode): Steps<[LuaValue, LuaValue[]]> {
    const { line } = node;
    const site = { line, name: node.kind === 'method' ? node.name : calleeName(node.callee) };
    let callee = yield* this.expression(run, frame, node.kind === 'method' ? node.object : node.callee);
    const self = callee;
    frame.site = site;
    if (node.kind === 'method') callee = method(run, self, node.name);
    const args = yield* this.list(run, frame, node.args);
    if (node.kind === 'method') args.unshift(self);
    frame.site = site;
    return [callee, args];
  }
}

function operandsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'index':
      return [node.object, node.key];
    case 'concat':
      return node.parts;
    case 'not':
    case 'minus':
    case 'length':
      return [node.operand];
    default:
      return [];
  }
}

/** Calls a function so that it can yield: functions of the script by steps, coroutine.yield by leaving. */
export function* callSteps(run: LuaRun, callee: LuaValue, args: LuaValues): Steps<LuaValues> {
  const fn = callee instanceof LuaFunction ? callee : run.callable(callee);
  const values = fn === callee ? args : [callee, ...args];
  if (fn.body !== undefined) return yield* fn.body.steps(run, fn, values);
  return fn.host === yieldHost ? yield values : fn.call(run, values);
}
