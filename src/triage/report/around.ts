import type { RankedCause, Trail } from '../causes/index.js';
import { numberAt, objectsAt } from '../../model/json/index.js';
import { conditionIs, type Graph, type Node, nodeText, selectedPods } from '../graph/index.js';
import { textAt } from '../json/index.js';
import { complaintsAbout, servicesFor, usersOf } from '../rules/index.js';
import { plainText } from './plain-text.js';

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Rollout', 'Pod']);
/** So many workloads of a cause are shown, and so much of each. */
const MAX_WORKLOADS = 3;
const MAX_EACH = 3;

/**
 * What is seen around a cause, the complaints of clients first: who asks for what it breaks, the Services in between
 * and their endpoints, the pods and the latest events.
 */
export function aroundOf({ cause, trail, severity }: RankedCause & { readonly trail: Trail }, graph: Graph): string[] {
  if (severity === 'P3') return [];
  const found = [...cause.members, ...trail.consequences].map(({ finding }) => finding.node);
  const broken = new Map(
    found
      .map((node) => graph.top(node))
      .filter(({ key, object }) => WORKLOADS.has(key.kind) && object !== undefined)
      .map((node) => [node.id, node]),
  );
  const services = new Map(
    found.filter(({ key, object }) => key.kind === 'Service' && object !== undefined).map((node) => [node.id, node]),
  );
  const seen = [
    ...[...broken.values()].slice(0, MAX_WORKLOADS).map((workload) => around(workload, graph)),
    ...[...services.values()].slice(0, MAX_WORKLOADS).map((service) => aroundService(service, graph)),
  ];
  const lines = [...seen.flatMap(({ clients }) => clients), ...seen.flatMap(({ state }) => state)];
  return [...new Set(lines)].map((line) => plainText(line, 300));
}

interface Around {
  readonly clients: string[];
  readonly state: string[];
}

/** Who complains about one of these, and who is configured with one of the Services. */
function clientsOf(named: readonly Node[], services: readonly Node[], own: Node | undefined, graph: Graph): string[] {
  const complaints = named
    .flatMap(({ key }) => complaintsAbout(key.name, key.namespace, graph))
    .filter(({ pod }) => graph.top(pod) !== own);
  const clients = usersOf(services, graph).filter(({ node }) => node !== own);
  return [
    ...distinct(complaints, ({ pod }) => pod.id).map(
      ({ pod, line, count }) => `${nodeText(pod)} logs ${count === 1 ? 'once' : `${count} times`}: ${line}`,
    ),
    ...distinct(clients, ({ node }) => node.id).map(
      ({ node, field, text }) => `${nodeText(node)} uses it: ${field} = ${text}`,
    ),
  ];
}

function aroundService(service: Node, graph: Graph): Around {
  const behind = selectedPods(service, graph);
  const [first] = behind;
  const own = first === undefined ? undefined : graph.top(first);
  return {
    clients: clientsOf([service], [service], own, graph),
    state: [endpoints(service, graph), ...behind.slice(0, MAX_EACH).map(podState)],
  };
}

function around(workload: Node, graph: Graph): Around {
  const services = servicesFor(workload, graph);
  return {
    clients: clientsOf([workload, ...services], services, workload, graph),
    state: [
      ...services.slice(0, MAX_EACH).map((service) => endpoints(service, graph)),
      ...pods(workload, graph),
      ...events(workload, graph),
    ],
  };
}

function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map([...items].reverse().map((item) => [keyOf(item), item])).values()].reverse().slice(0, MAX_EACH);
}

function endpoints(service: Node, graph: Graph): string {
  const selected = selectedPods(service, graph);
  const ready = selected.filter(({ object }) => conditionIs(object, 'Ready', 'True')).length;
  const ports = objectsAt(service.object, 'spec', 'ports').flatMap((port) => numberAt(port, 'port') ?? []);
  return `${nodeText(service)} port ${ports.join(', ')}: ${ready} of ${selected.length} endpoints ready`;
}

function podsOf(workload: Node, graph: Graph): Node[] {
  if (workload.key.kind === 'Pod') return [workload];
  return graph.store
    .children(workload)
    .flatMap((child) => (child.key.kind === 'Pod' ? [child] : graph.store.children(child)))
    .filter(({ key }) => key.kind === 'Pod');
}

function pods(workload: Node, graph: Graph): string[] {
  const made = podsOf(workload, graph);
  if (made.length === 0) return [`no Pod of ${nodeText(workload)}`];
  return made.slice(0, MAX_EACH).map(podState);
}

function podState(pod: Node): string {
  const isReady = conditionIs(pod.object, 'Ready', 'True');
  return `${nodeText(pod)}: ${textAt(pod.object, 'status', 'phase')}, ${isReady ? 'ready' : 'not ready'}`;
}

function events(workload: Node, graph: Graph): string[] {
  return [workload, ...graph.store.children(workload), ...podsOf(workload, graph)]
    .flatMap((node) => {
      const [event] = graph.events(node);
      return event === undefined ? [] : [`event ${event.reason} of ${nodeText(node)}: ${event.message}`];
    })
    .slice(0, MAX_EACH);
}
