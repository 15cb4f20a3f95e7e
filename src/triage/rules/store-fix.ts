import { type Json, type JsonObject, isObject, objectsAt, own, put, valueAt } from '../../model/json/index.js';
import { ESO, type Graph, type Node } from '../graph/index.js';
import { textAt } from '../json/index.js';
import type { Addition, Edit, Fix } from '../findings/index.js';
import { removing, setting } from './make-finding.js';

/**
 * The fix of a store with a missing Service. A ClusterSecretStore whose namespaces each have such a Service becomes one
 * store per namespace: references are changed, and the old one is removed. If there is only one candidate, the address
 * is corrected.
 */
export function storeFix(store: Node, graph: Graph): Pick<Fix, 'edits' | 'adds'> {
  const server = textAt(store.object, 'spec', 'provider', 'vault', 'server');
  if (store.key.kind === 'SecretStore')
    return { edits: corrected(store, server, servicesLike(server, graph, store.key.namespace)) };
  const users = usersOf(store, graph);
  const namespaces = [...new Set(users.map(({ key }) => key.namespace))].sort();
  const services = new Map(namespaces.map((namespace) => [namespace, servicesLike(server, graph, namespace)]));
  if (namespaces.length > 0 && [...services.values()].every(({ length }) => length === 1)) {
    const adds = [...services].flatMap(([namespace, [service]]): Addition[] =>
      service === undefined
        ? []
        : [{ object: storeFor(store, namespace, serverAt(server, service)), beside: service.key }],
    );
    return {
      edits: [...users.map((user) => setting(user, 'spec.secretStoreRef.kind', 'SecretStore')), removing(store, [])],
      adds,
    };
  }
  return { edits: corrected(store, server, servicesLike(server, graph)) };
}

function usersOf(store: Node, graph: Graph): Node[] {
  return graph.store
    .ofKind(ESO, 'ExternalSecret')
    .filter(
      ({ object }) =>
        textAt(object, 'spec', 'secretStoreRef', 'kind') === store.key.kind &&
        textAt(object, 'spec', 'secretStoreRef', 'name') === store.key.name,
    );
}

/** Services that answer on the port of an address, and select pods. */
function servicesLike(server: string, graph: Graph, namespace?: string): readonly Node[] {
  const port = portOf(server);
  const all =
    namespace === undefined ? graph.store.ofKind('', 'Service') : graph.store.inNamespace('', 'Service', namespace);
  const found = all.filter(
    ({ object }) =>
      textAt(object, 'spec', 'clusterIP') !== 'None' &&
      valueAt(object, 'spec', 'selector') !== undefined &&
      objectsAt(object, 'spec', 'ports').some((each) => each.port === port),
  );
  // Of those that select the same pods one is enough.
  return [
    ...new Map(
      found.map((service) => [
        `${service.key.namespace} ${JSON.stringify(valueAt(service.object, 'spec', 'selector') ?? null)}`,
        service,
      ]),
    ).values(),
  ];
}

function portOf(server: string): number {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  return url === undefined ? 0 : Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

function serverAt(server: string, { key }: Node): string {
  const { protocol, hostname } = new URL(server);
  const domain = hostname.endsWith('.cluster.local') ? 'svc.cluster.local' : 'svc';
  return `${protocol}//${key.name}.${key.namespace}.${domain}:${portOf(server)}`;
}

function corrected(store: Node, server: string, services: readonly Node[]): Edit[] {
  const [service] = services;
  return service === undefined || services.length > 1 || !URL.canParse(server)
    ? []
    : [setting(store, 'spec.provider.vault.server', serverAt(server, service))];
}

/**
 * The store of one namespace. It names accounts and Secrets of its own namespace only, so the names of others are left
 * out.
 */
function storeFor({ object, key }: Node, namespace: string, server: string): Addition['object'] {
  const spec = withoutNamespaces(valueAt(object, 'spec') ?? {});
  const vault = valueAt(spec, 'provider', 'vault');
  if (isObject(vault)) put(vault, 'server', server);
  if (isObject(spec)) put(spec, 'conditions', undefined);
  return {
    apiVersion: object?.apiVersion ?? `${ESO}/v1`,
    kind: 'SecretStore',
    metadata: { name: key.name, namespace },
    spec: JSON.parse(JSON.stringify(spec)) as JsonObject,
  };
}

function withoutNamespaces(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNamespaces);
  if (!isObject(value)) return value;
  const made: JsonObject = {};
  for (const name of Object.keys(value)) {
    const inner = own(value, name) ?? null;
    put(made, name, /[Rr]ef$/.test(name) && isObject(inner) ? withoutNamespace(inner) : withoutNamespaces(inner));
  }
  return made;
}

function withoutNamespace(reference: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(reference).filter(([name]) => name !== 'namespace'));
}
