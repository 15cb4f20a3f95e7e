import type { Node } from './node.js';
import { evaluate } from './evaluate.js';
import { parseExpression } from './parse.js';
import type { Value } from './value.js';

/**
 * A condition of a trigger, in the language that Argo CD uses (expr): comparisons, `in`, `and`, `or`, `not`, members,
 * optional members (`?.`), times, and functions over lists. It sees only the variables that it is given.
 */
export class Expression {
  private constructor(
    readonly source: string,
    private readonly node: Node,
  ) {}

  /** A Fault has the position of the error. */
  static parse(source: string): Expression {
    return new Expression(source, parseExpression(source));
  }

  /** A Fault says why it has no value: a member of nil, a comparison of string and number. */
  evaluate(variables: ReadonlyMap<string, Value>): Value {
    return evaluate(this.node, variables);
  }
}
