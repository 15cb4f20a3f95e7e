import { keyText } from '../../../model/kubernetes/index.js';
import { type Graph, nodeText, type Node, listedKey } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { delegate, fact } from '../make-finding.js';

/**
 * An application shows an object as Degraded and no rule explains it: the object is the best lead, with the message of
 * its health check.
 */
export function reportedDegraded(node: Node, graph: Graph): readonly Finding[] {
  const reported = graph.once('objects that applications show as degraded', () => degraded(graph)).get(node.id);
  if (reported === undefined) return [];
  return [
    delegate('H04', node, 'ready', `${nodeText(node)} is Degraded: ${reported.message}`, {
      evidence: [fact(reported.app, `status.resources[${node.key.kind}/${node.key.name}].health`, reported.message)],
      field: 'spec',
    }),
  ];
}

function degraded(graph: Graph): ReadonlyMap<string, { readonly app: Node; readonly message: string }> {
  return new Map(
    graph.applications.flatMap((app) =>
      objectsAt(app.object, 'status', 'resources').flatMap((resource) => {
        if (textAt(resource, 'health', 'status') !== 'Degraded') return [];
        const key = listedKey(resource);
        return [[keyText(key), { app, message: textAt(resource, 'health', 'message') }] as const];
      }),
    ),
  );
}
