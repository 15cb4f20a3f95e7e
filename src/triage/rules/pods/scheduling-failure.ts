import type { Graph, Node } from '../../graph/index.js';
import type { Finding } from '../../findings/index.js';

/** An unschedulable pod with the message of the scheduler. */
export interface SchedulingFailure {
  readonly pod: Node;
  readonly graph: Graph;
  readonly message: string;
  readonly details: { readonly evidence: Finding['evidence']; readonly onset?: number };
}
