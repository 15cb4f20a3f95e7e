import { objectsAt } from '../../../model/json/index.js';
import { keyText } from '../../../model/kubernetes/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import type { Graph, Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, fact, leaf, shellWord } from '../make-finding.js';

/** Registered by kind. */
export const INSTALLED_TWICE_RULES: RuleTable = {
  'apiextensions.k8s.io/CustomResourceDefinition': [installedTwice],
};

/** One definition of the whole cluster in two applications: an operator is installed twice. */
function installedTwice(node: Node, graph: Graph): readonly Finding[] {
  const owners =
    graph
      .once('applications by definition', () => {
        const map = new Map<string, Node[]>();
        for (const app of graph.applications)
          for (const resource of objectsAt(app.object, 'status', 'resources')) {
            if (textAt(resource, 'kind') !== 'CustomResourceDefinition') continue;
            const id = keyText({
              group: textAt(resource, 'group'),
              kind: textAt(resource, 'kind'),
              namespace: '',
              name: textAt(resource, 'name'),
            });
            map.set(id, [...(map.get(id) ?? []), app]);
          }
        return map;
      })
      .get(node.id) ?? [];
  if (owners.length < 2) return [];
  const names = owners.map(({ key }) => key.name).sort();
  return owners.map((app) =>
    leaf('A50', app, 'reconcile', `${names.join(' and ')} both install ${node.key.name} cluster-wide`, {
      signature: `twice ${names.join(' ')}`,
      commonTitle: `${names.join(' and ')} install the same operator cluster-wide`,
      field: 'spec.source',
      evidence: [fact(app, `status.resources[CustomResourceDefinition/${node.key.name}]`, 'in both applications')],
      fix: act(
        'keep one; delete the other without its resources',
        owners.slice(1).map(({ key }) => `argosy app delete ${shellWord(key.name)} --cascade=false`),
        { risk: 'delete-recreate', reversible: false },
      ),
    }),
  );
}
