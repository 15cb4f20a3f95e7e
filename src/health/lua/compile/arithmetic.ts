import type { Compiler, Evaluate } from './types.js';
import { arithmetic, compute, concat, modulo, negate } from '../operations.js';
import type { ArithmeticNode, ConcatNode, UnaryNode } from '../syntax/tree.js';
import type { LuaValue } from '../value.js';

export function compileArithmetic(compiler: Compiler, node: ArithmeticNode): Evaluate {
  const { operator, line } = node;
  const left = compiler.expression(node.left);
  const right = compiler.expression(node.right);
  const site = { line, name: '?' };
  switch (operator) {
    case 'add':
      return (run, frame) => {
        const a = left(run, frame);
        const b = right(run, frame);
        if (typeof a === 'number' && typeof b === 'number') return a + b;
        frame.site = site;
        return arithmetic(run, operator, a, b);
      };
    case 'sub':
      return (run, frame) => {
        const a = left(run, frame);
        const b = right(run, frame);
        if (typeof a === 'number' && typeof b === 'number') return a - b;
        frame.site = site;
        return arithmetic(run, operator, a, b);
      };
    case 'mod':
      return (run, frame) => {
        const a = left(run, frame);
        const b = right(run, frame);
        if (typeof a === 'number' && typeof b === 'number') return modulo(a, b);
        frame.site = site;
        return arithmetic(run, operator, a, b);
      };
    default:
      return (run, frame) => {
        const a = left(run, frame);
        const b = right(run, frame);
        if (typeof a === 'number' && typeof b === 'number') return compute(operator, a, b);
        frame.site = site;
        return arithmetic(run, operator, a, b);
      };
  }
}

export function compileNegate(compiler: Compiler, { operand, line }: UnaryNode): Evaluate {
  const evaluate = compiler.expression(operand);
  const site = { line, name: '?' };
  return (run, frame) => {
    const value = evaluate(run, frame);
    if (typeof value === 'number') return -value;
    frame.site = site;
    return negate(run, value);
  };
}

export function compileConcat(compiler: Compiler, { parts, line }: ConcatNode): Evaluate {
  const site = { line, name: '?' };
  const operands = parts.map((part) => compiler.expression(part));
  const [first, second] = operands;
  if (operands.length === 2 && first !== undefined && second !== undefined) {
    return (run, frame) => {
      const a = first(run, frame);
      const b = second(run, frame);
      frame.site = site;
      if (typeof a !== 'string' || typeof b !== 'string') return concat(run, [a, b]);
      run.chargeString(a.length + b.length);
      return a + b;
    };
  }
  return (run, frame) => {
    const values: LuaValue[] = [];
    for (const operand of operands) values.push(operand(run, frame));
    frame.site = site;
    return concat(run, values);
  };
}
