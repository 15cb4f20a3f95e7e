import type { Graph, Node } from '../../graph/index.js';
import type { Finding } from '../../findings/index.js';

/** A pod that no node takes, and what the scheduler said of it. */
export interface SchedulingFailure {
  readonly pod: Node;
  readonly graph: Graph;
  readonly message: string;
  readonly details: { readonly evidence: Finding['evidence']; readonly onset?: number };
}
