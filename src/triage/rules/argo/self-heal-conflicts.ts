import { numberAt, objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText, listedKey } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';

/** Repeated self-heal: another writer changes the same field. */
export function selfHealConflicts(app: Node, graph: Graph): Finding[] {
  const attempts = numberAt(app.object, 'status', 'operationState', 'operation', 'sync', 'autoHealAttemptsCount') ?? 0;
  if (attempts < 3) return [];
  const different = objectsAt(app.object, 'status', 'resources').filter(
    (resource) => textAt(resource, 'status') === 'OutOfSync',
  );
  return different.slice(0, 3).flatMap((resource) => {
    const node = graph.store.get(listedKey(resource));
    const managers = objectsAt(node?.object, 'metadata', 'managedFields')
      .filter((entry) => textAt(entry, 'subresource') === '')
      .sort((a, b) => textAt(b, 'time').localeCompare(textAt(a, 'time')))
      .map((entry) => textAt(entry, 'manager'));
    const others = managers.filter((manager) => !/^(argocd|argosy)/.test(manager));
    if (node === undefined || others.length === 0) return [];
    return [
      leaf(
        'A32',
        app,
        'reconcile',
        `self-heal of ${nodeText(app)} reverted ${nodeText(node)} ${attempts} times; ` +
          `${others[0] ?? ''} keeps changing it`,
        {
          blamed: node,
          field: 'metadata.managedFields',
          evidence: [
            fact(app, 'status.operationState.operation.sync.autoHealAttemptsCount', attempts),
            fact(node, 'metadata.managedFields[].manager', managers.join(', ')),
          ],
          fix: change(node, graph, `let one of them own the field: remove it from git, or stop ${others[0] ?? ''}`, {
            risk: 'none',
          }),
        },
      ),
    ];
  });
}
