import { labelSelectorFromMap, matchesLabels } from '../../model/kubernetes/index.js';
import { numberAt, objectAt, own } from '../../model/json/index.js';
import { containersOf, hostSettings, TEMPLATES, type Graph, type Node } from '../graph/index.js';
import { wordOf } from '../json/index.js';

/** A workload whose template names a Service, and where. */
export interface ServiceUser {
  readonly node: Node;
  readonly field: string;
  readonly text: string;
}

/** A client of a workload: a running workload that uses one of its Services. */
export function userOf(workload: Node, graph: Graph): ServiceUser | undefined {
  const path = TEMPLATES[`${workload.key.group}/${workload.key.kind}`] ?? [];
  const labels = objectAt(workload.object, ...path, 'metadata', 'labels') ?? {};
  const words = Object.fromEntries(Object.keys(labels).map((key) => [key, wordOf(own(labels, key))]));
  const users = usersByService(graph);
  for (const service of graph.store.inNamespace('', 'Service', workload.key.namespace)) {
    const selector = objectAt(service.object, 'spec', 'selector') ?? {};
    if (
      Object.keys(selector).length === 0 ||
      !matchesLabels(
        labelSelectorFromMap(Object.fromEntries(Object.keys(selector).map((key) => [key, wordOf(own(selector, key))]))),
        words,
      )
    )
      continue;
    const user = users.get(service.id)?.find(({ node }) => node.id !== workload.id);
    if (user !== undefined) return user;
  }
  return undefined;
}

function usersByService(graph: Graph): ReadonlyMap<string, readonly ServiceUser[]> {
  return graph.once('users of services', () => {
    const map = new Map<string, ServiceUser[]>();
    for (const [id, path] of Object.entries(TEMPLATES)) {
      const [group = '', kind = ''] = id.split('/');
      for (const node of graph.store.ofKind(group, kind)) {
        if (graph.owner(node) !== undefined || numberAt(node.object, 'spec', 'replicas') === 0) continue;
        for (const { container, path: where } of containersOf(
          objectAt(node.object, ...path, 'spec'),
          [...path, 'spec'].join('.'),
        )) {
          for (const host of hostSettings(container, where, node, graph)) {
            const service = graph.store.get({
              group: '',
              kind: 'Service',
              namespace: host.namespace === '' ? node.key.namespace : host.namespace,
              name: host.service,
            });
            if (service?.object !== undefined)
              map.set(service.id, [...(map.get(service.id) ?? []), { node, field: host.field, text: host.text }]);
          }
        }
      }
    }
    return map;
  });
}
