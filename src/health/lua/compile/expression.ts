import type { Compiler, Evaluate, Test } from './types.js';
import { readGlobal, readVariable } from './variable.js';
import { compileCall, compileMethod } from './call.js';
import { compileIndex } from './index-access.js';
import { compileArithmetic, compileConcat, compileNegate } from './arithmetic.js';
import { compileTable } from './table.js';
import { equals, length, LONG, lessOrEqual, lessThan } from '../operations.js';
import { foldNumber } from './fold.js';
import type { CompareNode, Expression, UnaryNode } from '../syntax/tree.js';
import { LuaTable, type LuaValue } from '../value.js';

export function compileExpression(compiler: Compiler, node: Expression): Evaluate {
  compiler.nodes++;
  const folded = foldNumber(node);
  if (folded !== undefined) return constant(compiler, folded);
  switch (node.kind) {
    case 'constant':
      return constant(compiler, node.value);
    case 'local':
      return readVariable(compiler, node.variable);
    case 'global':
      return readGlobal(compiler, node);
    case 'index':
      return compileIndex(compiler, node);
    case 'call': {
      const call = compileCall(compiler, node);
      return (run, frame) => call(run, frame)[0];
    }
    case 'method': {
      const call = compileMethod(compiler, node);
      return (run, frame) => call(run, frame)[0];
    }
    case 'vararg':
      return (_run, frame) => frame.varargs[0];
    case 'function':
      return compiler.closure(node.fn);
    case 'table':
      return compileTable(compiler, node);
    case 'arithmetic':
      return compileArithmetic(compiler, node);
    case 'concat':
      return compileConcat(compiler, node);
    case 'minus':
      return compileNegate(compiler, node);
    case 'length':
      return compileLength(compiler, node);
    case 'not':
    case 'compare':
      return compileTest(compiler, node);
    case 'and': {
      const left = compiler.expression(node.left);
      const right = compiler.expression(node.right);
      return (run, frame) => {
        const value = left(run, frame);
        return value === undefined || value === false ? value : right(run, frame);
      };
    }
    case 'or': {
      const left = compiler.expression(node.left);
      const right = compiler.expression(node.right);
      return (run, frame) => {
        const value = left(run, frame);
        return value === undefined || value === false ? right(run, frame) : value;
      };
    }
  }
}

function constant(compiler: Compiler, given: LuaValue): Evaluate {
  const value = given === 0 ? compiler.zero(given) : given;
  return () => value;
}

function compileLength(compiler: Compiler, { operand, line }: UnaryNode): Evaluate {
  const evaluate = compiler.expression(operand);
  const site = { line, name: '?' };
  return (run, frame) => {
    const value = evaluate(run, frame);
    if (typeof value === 'string') return value.length;
    if (value instanceof LuaTable && value.metatable === undefined) return value.length();
    frame.site = site;
    return length(run, value);
  };
}

/** An expression of which only truth matters. */
export function compileTest(compiler: Compiler, node: Expression): Test {
  compiler.nodes++;
  switch (node.kind) {
    case 'compare':
      return compileCompare(compiler, node);
    case 'not': {
      const operand = compiler.test(node.operand);
      return (run, frame) => !operand(run, frame);
    }
    case 'and': {
      const left = compiler.test(node.left);
      const right = compiler.test(node.right);
      return (run, frame) => left(run, frame) && right(run, frame);
    }
    case 'or': {
      const left = compiler.test(node.left);
      const right = compiler.test(node.right);
      return (run, frame) => left(run, frame) || right(run, frame);
    }
    default: {
      const evaluate = compiler.expression(node);
      return (run, frame) => {
        const value = evaluate(run, frame);
        return value !== undefined && value !== false;
      };
    }
  }
}

function compileCompare(compiler: Compiler, node: CompareNode): Test {
  const { operator, line } = node;
  if (operator === '==' || operator === '~=') return compileEquality(compiler, node);
  const left = compiler.expression(node.left);
  const right = compiler.expression(node.right);
  const site = { line, name: '?' };
  switch (operator) {
    case '<':
      return (run, frame) => {
        const a = left(run, frame);
        const b = right(run, frame);
        if (typeof a === 'number' && typeof b === 'number') return a < b;
        frame.site = site;
        return lessThan(run, a, b);
      };
    case '<=':
      return (run, frame) => {
        const a = left(run, frame);
        const b = right(run, frame);
        if (typeof a === 'number' && typeof b === 'number') return a <= b;
        frame.site = site;
        return lessOrEqual(run, a, b);
      };
    case '>':
      return (run, frame) => {
        const a = left(run, frame);
        const b = right(run, frame);
        if (typeof a === 'number' && typeof b === 'number') return a > b;
        frame.site = site;
        return lessThan(run, b, a);
      };
    case '>=':
      return (run, frame) => {
        const a = left(run, frame);
        const b = right(run, frame);
        if (typeof a === 'number' && typeof b === 'number') return a >= b;
        frame.site = site;
        return lessOrEqual(run, b, a);
      };
  }
}

function constantSide({ left, right }: CompareNode): Extract<Expression, { kind: 'constant' }> | undefined {
  if (right.kind === 'constant') return right;
  return left.kind === 'constant' ? left : undefined;
}

function compileEquality(compiler: Compiler, node: CompareNode): Test {
  const wanted = node.operator === '==';
  // Strings, numbers, booleans and nil have no __eq.
  const constant = constantSide(node);
  if (constant !== undefined) {
    const { value } = constant;
    const other = compiler.expression(constant === node.right ? node.left : node.right);
    if (typeof value === 'string' && value.length > LONG)
      return (run, frame) => equals(run, other(run, frame), value) === wanted;
    return wanted ? (run, frame) => other(run, frame) === value : (run, frame) => other(run, frame) !== value;
  }
  const left = compiler.expression(node.left);
  const right = compiler.expression(node.right);
  const site = { line: node.line, name: '?' };
  return (run, frame) => {
    const a = left(run, frame);
    const b = right(run, frame);
    if (typeof a !== 'object' && !(typeof a === 'string' && a.length > LONG)) return (a === b) === wanted;
    frame.site = site;
    return equals(run, a, b) === wanted;
  };
}
