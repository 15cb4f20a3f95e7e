import type { Graph } from '../../graph/graph.js';
import type { Node } from '../../graph/node.js';
import type { Finding } from '../../findings/finding.js';

/** A pod that no node takes, and what the scheduler said of it. */
export interface SchedulingFailure {
  readonly pod: Node;
  readonly graph: Graph;
  readonly message: string;
  readonly details: { readonly evidence: Finding['evidence']; readonly onset?: number };
}
