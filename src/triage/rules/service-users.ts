import { labelSelectorFromMap, matchesLabels } from '../../model/kubernetes/index.js';
import { type JsonObject, numberAt, objectAt, own } from '../../model/json/index.js';
import { containersOf, hostSettings, TEMPLATES, type Graph, type Node } from '../graph/index.js';
import { wordOf } from '../json/index.js';
import { type Complaint, complaintsAbout } from './complaints.js';

/** A workload whose template names a Service, and where. */
export interface ServiceUser {
  readonly node: Node;
  readonly field: string;
  readonly text: string;
}

/** The Services that lead to the pods of a workload, whether it has any or not. */
export function servicesFor(workload: Node, graph: Graph): Node[] {
  const path = TEMPLATES[`${workload.key.group}/${workload.key.kind}`] ?? [];
  const labels = plainTexts(objectAt(workload.object, ...path, 'metadata', 'labels') ?? {});
  return graph.store.inNamespace('', 'Service', workload.key.namespace).filter(({ object }) => {
    const selector = objectAt(object, 'spec', 'selector') ?? {};
    return Object.keys(selector).length > 0 && matchesLabels(labelSelectorFromMap(plainTexts(selector)), labels);
  });
}

function plainTexts(object: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.keys(object).map((key) => [key, wordOf(own(object, key))]));
}

/** A client of a workload: one that is configured with one of its Services. */
export function userOf(workload: Node, graph: Graph): ServiceUser | undefined {
  return usersOf(servicesFor(workload, graph), graph).find(({ node }) => node.id !== workload.id);
}

/** The workloads that are configured with a Service. */
export function usersOf(services: readonly Node[], graph: Graph): ServiceUser[] {
  return services.flatMap((service) => usersByService(graph).get(service.id) ?? []);
}

/** A pod that logs that it does not get through to a workload, or to a Service of it. */
export function complainerOf(workload: Node, graph: Graph): Complaint | undefined {
  const { namespace, name } = workload.key;
  return [name, ...servicesFor(workload, graph).map(({ key }) => key.name)]
    .flatMap((each) => complaintsAbout(each, namespace, graph))
    .find(({ pod }) => graph.top(pod).id !== workload.id);
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
