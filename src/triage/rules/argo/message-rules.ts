import type { Finding } from '../../findings/index.js';
import type { Graph, Node } from '../../graph/index.js';

export interface RuleInput {
  readonly app: Node;
  readonly graph: Graph;
  readonly message: string;
  readonly evidence: Finding['evidence'];
}

export interface MessageRule {
  readonly test: RegExp;
  make(match: RegExpExecArray, input: RuleInput): Finding;
}

/** The first row that knows a message. */
export function matchRules(rows: readonly MessageRule[], input: RuleInput): Finding | undefined {
  for (const { test, make } of rows) {
    const match = test.exec(input.message);
    if (match !== null) return make(match, input);
  }
  return undefined;
}
