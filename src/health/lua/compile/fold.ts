import { compute } from '../operations.js';
import type { Expression } from '../syntax/tree.js';

/** The number that an expression of numerals always gives; undefined for every other expression. */
export function foldNumber(node: Expression): number | undefined {
  switch (node.kind) {
    case 'constant':
      return typeof node.value === 'number' ? node.value : undefined;
    case 'minus': {
      const operand = foldNumber(node.operand);
      return operand === undefined ? undefined : -operand;
    }
    case 'arithmetic': {
      const left = foldNumber(node.left);
      const right = left === undefined ? undefined : foldNumber(node.right);
      return left === undefined || right === undefined ? undefined : compute(node.operator, left, right);
    }
    default:
      return undefined;
  }
}
