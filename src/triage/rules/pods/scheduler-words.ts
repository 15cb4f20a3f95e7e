import type { Graph } from '../../graph/graph.js';
import type { Node } from '../../graph/node.js';
import type { Finding } from '../../verdict/finding.js';

/** A pod that no node takes, and what the scheduler said of it. */
export interface Seen {
  readonly pod: Node;
  readonly graph: Graph;
  readonly message: string;
  readonly told: { readonly evidence: Finding['evidence']; readonly onset?: number };
}
