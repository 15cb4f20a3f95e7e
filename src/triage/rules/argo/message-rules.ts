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
  make(match: RegExpExecArray, said: RuleInput): Finding;
}

/** The first row that knows a message. */
export function matchRules(rows: readonly MessageRule[], said: RuleInput): Finding | undefined {
  for (const { test, make } of rows) {
    const match = test.exec(said.message);
    if (match !== null) return make(match, said);
  }
  return undefined;
}
