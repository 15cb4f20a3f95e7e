import type { Compiler, Execute } from './types.js';
import { NORMAL } from './types.js';
import { readVariable, writeVariable, type Assign } from './variable.js';
import type { Frame } from '../frame.js';
import type { LuaRun } from '../run.js';
import type { Expression, LogicNode, Variable } from '../syntax/tree.js';
import { isTrue, type LuaValue } from '../value.js';

/**
 * `x = a and b or c` where x is a local that exists already. gopher-lua gets this wrong: an operand that ends an `and`
 * by being false is tested but not stored, so that `x = t.missing and 1` leaves x as it was. Scripts run there today
 * with that result, so it is kept, operand by operand as gopher-lua's compiler jumps.
 */
export function assignLogic(compiler: Compiler, variable: Variable, node: LogicNode): Execute {
  const operand = compileOperand({ compiler, variable, assign: writeVariable(compiler, variable) }, node, END_BOTH);
  return (run, frame) => {
    operand(run, frame);
    return NORMAL;
  };
}

interface Target {
  readonly compiler: Compiler;
  readonly variable: Variable;
  readonly assign: Assign;
}

/** Where control goes after an operand: to the end of the whole expression or to the next operand. */
interface Exits {
  readonly trueEnds: boolean;
  readonly falseEnds: boolean;
  /** Another operand follows if this one is false (`or`). */
  readonly hasNext: boolean;
}

const END_BOTH: Exits = { trueEnds: true, falseEnds: true, hasNext: false };

/** Evaluates an operand, stores it where gopher-lua does, and tells whether it is true. */
type Operand = (run: LuaRun, frame: Frame) => boolean;

function compileOperand(target: Target, node: Expression, exits: Exits): Operand {
  const { compiler, assign } = target;
  const { trueEnds, falseEnds } = exits;
  switch (node.kind) {
    case 'and': {
      const left = compileOperand(target, node.left, { trueEnds: false, falseEnds, hasNext: false });
      const right = compileOperand(target, node.right, exits);
      return (run, frame) => left(run, frame) && right(run, frame);
    }
    case 'or': {
      const left = compileOperand(target, node.left, { trueEnds, falseEnds: false, hasNext: true });
      const right = compileOperand(target, node.right, exits);
      return (run, frame) => left(run, frame) || right(run, frame);
    }
    case 'constant':
      return storing(assign, node.value, isTrue(node.value) ? trueEnds : falseEnds);
    case 'compare': {
      const test = compiler.test(node);
      return (run, frame) => {
        const result = test(run, frame);
        if (result ? trueEnds : falseEnds) assign(run, frame, result);
        return result;
      };
    }
    default:
      return compileValue(target, node, exits);
  }
}

function storing(assign: Assign, value: LuaValue, ends: boolean): Operand {
  const result = isTrue(value);
  return (run, frame) => {
    if (ends) assign(run, frame, value);
    return result;
  };
}

function compileValue(
  { compiler, assign }: Target,
  node: Expression,
  { trueEnds, falseEnds, hasNext }: Exits,
): Operand {
  const isLast = trueEnds && falseEnds && !hasNext;
  const isOwnLocal = node.kind === 'local' && node.variable.owner === compiler.fn;
  const evaluate = isOwnLocal ? readVariable(compiler, node.variable) : compiler.expression(node);
  const storesLocal = isOwnLocal && ((falseEnds && !trueEnds) || (trueEnds && hasNext));
  return (run, frame) => {
    const value = evaluate(run, frame);
    const result = isTrue(value);
    // A local is stored when it decides, anything else only when it is true and an `or` follows.
    if (isLast || (storesLocal ? result === hasNext : hasNext && result)) assign(run, frame, value);
    return result;
  };
}
