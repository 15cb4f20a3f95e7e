import { type Json, isObject, objectAt, objectsAt, own } from '../../../model/json/index.js';
import { entryOf, textAt } from '../../json/index.js';
import type { Graph } from '../graph.js';
import type { Edge, Node, Phase } from '../node.js';
import { EdgeList } from './edge-list.js';
import { clusterHost } from './host-names.js';

export const ESO = 'external-secrets.io';
const CERT_MANAGER = 'cert-manager.io';
const SYNC: readonly Phase[] = ['reconcile'];

/** A Secret comes from the object that declares to create it. */
export function secretEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  for (const { maker, field } of makersOf(node, graph))
    list.add(maker, { field, type: 'data', phases: ['create', 'reconcile'] });
  return list.edges;
}

/** Objects that declare to create a Secret, with the field. */
export function makersOf(secret: Node, graph: Graph): readonly { readonly maker: Node; readonly field: string }[] {
  const makers = graph.once('makers of secrets', () => {
    const map = new Map<string, { maker: Node; field: string }[]>();
    const put = (maker: Node, name: string, field: string): void => {
      const key = `${maker.key.namespace}/${name}`;
      map.set(key, [...(map.get(key) ?? []), { maker, field }]);
    };
    for (const maker of graph.store.ofKind(ESO, 'ExternalSecret'))
      put(maker, textAt(maker.object, 'spec', 'target', 'name') || maker.key.name, 'spec.target.name');
    for (const maker of graph.store.ofKind(CERT_MANAGER, 'Certificate'))
      put(maker, textAt(maker.object, 'spec', 'secretName'), 'spec.secretName');
    for (const maker of graph.store.ofKind('bitnami.com', 'SealedSecret'))
      put(maker, textAt(maker.object, 'spec', 'template', 'metadata', 'name') || maker.key.name, 'metadata.name');
    return map;
  });
  return makers.get(`${secret.key.namespace}/${secret.key.name}`) ?? [];
}

/** An ExternalSecret needs its store. */
export function externalSecretEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const store = (reference: Json | undefined, field: string): void => {
    if (!isObject(reference)) return;
    const kind = textAt(reference, 'kind') || 'SecretStore';
    list.refer({
      group: ESO,
      kind,
      name: textAt(reference, 'name'),
      ...(kind === 'ClusterSecretStore' ? { namespace: '' } : {}),
      field,
      phases: SYNC,
    });
  };
  store(objectAt(node.object, 'spec', 'secretStoreRef'), 'spec.secretStoreRef');
  objectsAt(node.object, 'spec', 'data').forEach((item, index) =>
    store(objectAt(item, 'sourceRef', 'storeRef'), `spec.data[${index}].sourceRef.storeRef`),
  );
  objectsAt(node.object, 'spec', 'dataFrom').forEach((item, index) =>
    store(objectAt(item, 'sourceRef', 'storeRef'), `spec.dataFrom[${index}].sourceRef.storeRef`),
  );
  objectsAt(node.object, 'spec', 'target', 'template', 'templateFrom').forEach((item, index) => {
    list.refer({
      kind: 'ConfigMap',
      name: textAt(item, 'configMap', 'name'),
      field: `spec.target.template.templateFrom[${index}].configMap.name`,
      phases: SYNC,
    });
    list.refer({
      kind: 'Secret',
      name: textAt(item, 'secret', 'name'),
      field: `spec.target.template.templateFrom[${index}].secret.name`,
      phases: SYNC,
    });
  });
  controllerEdges(list, graph, ESO);
  return list.edges;
}

/** A store needs the server at its address, and the service account or Secret it logs in with. */
export function secretStoreEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const provider = objectAt(node.object, 'spec', 'provider') ?? {};
  const server = textAt(provider, 'vault', 'server');
  const host = clusterHost(server);
  if (
    host !== undefined &&
    (server.includes('.svc') ||
      graph.store.get({ group: '', kind: 'Service', namespace: host.namespace, name: host.service }) !== undefined)
  ) {
    list.refer({
      kind: 'Service',
      name: host.service,
      namespace: host.namespace,
      field: 'spec.provider.vault.server',
      phases: SYNC,
      type: 'data',
    });
  } else if (server !== '')
    list.add(graph.store.virtual('Host', server.replace(/^[a-z]+:\/\//, '').split('/')[0] ?? ''), {
      field: 'spec.provider.vault.server',
      type: 'data',
      phases: SYNC,
    });
  for (const { value, path } of referencesIn(provider, 'spec.provider')) {
    const kind = /serviceAccountRef$/.test(path) ? 'ServiceAccount' : 'Secret';
    const namespace = textAt(value, 'namespace') || node.key.namespace;
    if (namespace !== '' && textAt(value, 'name') !== '')
      list.refer({ kind, name: textAt(value, 'name'), namespace, field: `${path}.name`, phases: SYNC });
  }
  controllerEdges(list, graph, ESO);
  return list.edges;
}

/** Every `...SecretRef` and `serviceAccountRef` of a provider, at any depth. */
function referencesIn(value: Json, path: string, depth = 0): { value: Json; path: string }[] {
  if (!isObject(value) || depth > 6) return [];
  return Object.keys(value).flatMap((key) => {
    const inner = own(value, key);
    if (inner === undefined) return [];
    const here = `${path}.${key}`;
    return /(SecretRef|secretRef|serviceAccountRef|tokenSecretRef)$/.test(key) &&
      isObject(inner) &&
      typeof inner.name === 'string'
      ? [{ value: inner, path: here }]
      : referencesIn(inner, here, depth + 1);
  });
}

/**
 * Custom resources need the controller that answers for their group: found by the group in the names of its roles and
 * webhooks is too weak, so by its label.
 */
export function controllerEdges(list: EdgeList, graph: Graph, group: string): void {
  for (const workload of controllersOf(graph, group))
    list.add(workload, { field: 'apiVersion', type: 'data', phases: ['reconcile', 'create'], grade: 'C' });
}

const CONTROLLERS: Readonly<Record<string, RegExp>> = {
  [ESO]: /^external-secrets$/,
  [CERT_MANAGER]: /^cert-manager$/,
  'bitnami.com': /^sealed-secrets(-controller)?$/,
  'postgresql.cnpg.io': /^(cloudnative-pg|cnpg-controller-manager)$/,
  'serving.kserve.io': /^kserve-controller-manager$/,
  'mlops.mlops.dev': /^(notebook-validator|jupyter-notebook-validator).*$/,
  'kafka.strimzi.io': /^strimzi-cluster-operator$/,
};

/** Deployments that are the controller of a group, by their recommended name label or their own name. */
export function controllersOf(graph: Graph, group: string): readonly Node[] {
  const pattern = entryOf(CONTROLLERS, group);
  if (pattern === undefined) return [];
  return graph.once(`controllers of ${group}`, () =>
    graph.store
      .ofKind('apps', 'Deployment')
      .filter(
        ({ key, object }) =>
          pattern.test(textAt(object, 'metadata', 'labels', 'app.kubernetes.io/name')) || pattern.test(key.name),
      ),
  );
}

export function sealedSecretEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  controllerEdges(list, graph, 'bitnami.com');
  return list.edges;
}

/** Certificates: the request chain they own, the issuer and its Secrets. */
export function certificateEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.children(SYNC);
  const issuer = objectAt(node.object, 'spec', 'issuerRef');
  const kind = textAt(issuer, 'kind') || 'Issuer';
  list.refer({
    group: textAt(issuer, 'group') || CERT_MANAGER,
    kind,
    name: textAt(issuer, 'name'),
    ...(kind === 'ClusterIssuer' ? { namespace: '' } : {}),
    field: 'spec.issuerRef',
    phases: SYNC,
  });
  controllerEdges(list, graph, CERT_MANAGER);
  return list.edges;
}

export function issuerEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const namespace = node.key.namespace === '' ? 'cert-manager' : node.key.namespace;
  list.refer({
    kind: 'Secret',
    namespace,
    name: textAt(node.object, 'spec', 'ca', 'secretName'),
    field: 'spec.ca.secretName',
    phases: SYNC,
  });
  for (const { value, path } of referencesIn(objectAt(node.object, 'spec') ?? {}, 'spec')) {
    // The account key is created by cert-manager itself.
    if (!path.endsWith('privateKeySecretRef'))
      list.refer({ kind: 'Secret', namespace, name: textAt(value, 'name'), field: `${path}.name`, phases: SYNC });
  }
  return list.edges;
}
