import type { Json } from '../../model/json/index.js';
import type { Path } from '../fields/index.js';
import { deletable, pathOf, plainCell, rootCell } from './cell.js';
import { checkNames } from './check-names.js';
import { run } from './evaluate.js';
import type { Frame } from './frame.js';
import { parseJq } from './parser.js';
import { JqSyntaxError, type Node } from './syntax.js';
import { Budget, JqError, JqExhausted } from './values.js';

export type PathsOutcome =
  | { readonly kind: 'paths'; readonly paths: readonly Path[] }
  /** The expression does not fit this value, such as an iteration over a number. */
  | { readonly kind: 'failed'; readonly message: string }
  /** It did not end within its budget. */
  | { readonly kind: 'exhausted'; readonly message: string };

/** A compiled expression. */
export interface JqProgram {
  readonly expression: string;
  /** Where the expression stands, for messages. */
  readonly where: string;
  /** The places that `del(expression)` would delete. */
  paths(value: Json, steps: number): PathsOutcome;
  /** All values, as plain jq gives them. */
  values(
    value: Json,
    steps: number,
  ): { readonly kind: 'values'; readonly values: readonly Json[] } | Exclude<PathsOutcome, { kind: 'paths' }>;
}

type Compiled =
  | { readonly kind: 'program'; readonly program: JqProgram }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Compiles a jq expression; where it is wrong or beyond what this evaluator has, the message says at which character.
 */
export function compileJq(expression: string, where = ''): Compiled {
  try {
    const node = parseJq(expression);
    checkNames(node);
    return { kind: 'program', program: programOf(node, expression, where) };
  } catch (error) {
    if (!(error instanceof JqSyntaxError)) throw error;
    return {
      kind: 'refused',
      message: `jq expression ${JSON.stringify(expression)} at character ${error.at + 1}: ${error.message}`,
    };
  }
}

function programOf(node: Node, expression: string, where: string): JqProgram {
  const frame = (steps: number): Frame => ({ scope: undefined, budget: new Budget(steps), depth: 0, run });
  return {
    expression,
    where,
    paths: (value, steps) =>
      guarded(expression, () => {
        const paths: Path[] = [];
        for (const cell of run(node, frame(steps), rootCell(value))) paths.push(deletable(value, pathOf(cell)));
        return { kind: 'paths', paths };
      }),
    values: (value, steps) =>
      guarded(expression, () => {
        const values: Json[] = [];
        for (const cell of run(node, frame(steps), plainCell(value))) values.push(cell.value);
        return { kind: 'values', values };
      }),
  };
}

function guarded<T>(expression: string, evaluate: () => T): T | Exclude<PathsOutcome, { kind: 'paths' }> {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof JqError) return { kind: 'failed', message: error.message };
    if (error instanceof JqExhausted)
      return { kind: 'exhausted', message: `jq expression ${JSON.stringify(expression)}: ${error.message}` };
    throw error;
  }
}
