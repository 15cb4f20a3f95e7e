import { type JsonObject, isObject, objectAt, objectsAt, own } from '../../../model/json/index.js';
import { labelSelectorFromMap } from '../../../model/kubernetes/index.js';
import { textAt, textsAt } from '../../json/index.js';
import type { Graph } from '../graph.js';
import type { Edge, Node, Phase } from '../node.js';
import { EdgeList } from './edge-list.js';

const SERVES: readonly Phase[] = ['serve', 'ready', 'reconcile'];
const NETWORKING = 'networking.k8s.io';
const GATEWAY = 'gateway.networking.k8s.io';

/** A Service needs the pods that its selector means. */
export function serviceEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  for (const pod of selectedPods(node, graph)) list.add(pod, { field: 'spec.selector', type: 'data', phases: SERVES });
  return list.edges;
}

export function selectedPods(service: Node, graph: Graph): Node[] {
  const selector = objectAt(service.object, 'spec', 'selector');
  return selector === undefined || Object.keys(selector).length === 0
    ? []
    : graph.pods(service.key.namespace, labelSelectorFromMap(stringsOf(selector)));
}

function stringsOf(object: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.keys(object).flatMap((key) => {
      const value = own(object, key);
      return typeof value === 'string' ? [[key, value] as const] : [];
    }),
  );
}

export function ingressEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const { object } = node;
  list.referCluster({
    group: NETWORKING,
    kind: 'IngressClass',
    name: textAt(object, 'spec', 'ingressClassName'),
    field: 'spec.ingressClassName',
    phases: SERVES,
  });
  list.refer({
    kind: 'Service',
    name: textAt(object, 'spec', 'defaultBackend', 'service', 'name'),
    field: 'spec.defaultBackend.service.name',
    phases: SERVES,
  });
  objectsAt(object, 'spec', 'rules').forEach((rule, r) =>
    objectsAt(rule, 'http', 'paths').forEach((path, p) => {
      list.refer({
        kind: 'Service',
        name: textAt(path, 'backend', 'service', 'name'),
        field: `spec.rules[${r}].http.paths[${p}].backend.service.name`,
        phases: SERVES,
      });
    }),
  );
  objectsAt(object, 'spec', 'tls').forEach((tls, index) =>
    list.refer({
      kind: 'Secret',
      name: textAt(tls, 'secretName'),
      field: `spec.tls[${index}].secretName`,
      phases: SERVES,
    }),
  );
  const annotations = objectAt(object, 'metadata', 'annotations');
  for (const [name, kind] of [
    ['cert-manager.io/issuer', 'Issuer'],
    ['cert-manager.io/cluster-issuer', 'ClusterIssuer'],
  ] as const) {
    const issuer = textAt(annotations, name);
    list.refer({
      group: 'cert-manager.io',
      kind,
      name: issuer,
      ...(kind === 'ClusterIssuer' ? { namespace: '' } : {}),
      field: `metadata.annotations['${name}']`,
      phases: SERVES,
    });
  }
  return list.edges;
}

/** Routes of Gateway API: parents and backends. */
export function httpRouteEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  objectsAt(node.object, 'spec', 'parentRefs').forEach((parent, index) => {
    list.refer({
      group: textAt(parent, 'group') || GATEWAY,
      kind: textAt(parent, 'kind') || 'Gateway',
      name: textAt(parent, 'name'),
      ...inNamespace(parent),
      field: `spec.parentRefs[${index}]`,
      phases: SERVES,
    });
  });
  objectsAt(node.object, 'spec', 'rules').forEach((rule, r) =>
    objectsAt(rule, 'backendRefs').forEach((backend, b) => {
      list.refer({
        group: textAt(backend, 'group'),
        kind: textAt(backend, 'kind') || 'Service',
        name: textAt(backend, 'name'),
        ...inNamespace(backend),
        field: `spec.rules[${r}].backendRefs[${b}]`,
        phases: SERVES,
      });
    }),
  );
  return list.edges;
}

function inNamespace(reference: JsonObject): { namespace?: string } {
  const namespace = textAt(reference, 'namespace');
  return namespace === '' ? {} : { namespace };
}

export function gatewayEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.referCluster({
    group: GATEWAY,
    kind: 'GatewayClass',
    name: textAt(node.object, 'spec', 'gatewayClassName'),
    field: 'spec.gatewayClassName',
    phases: SERVES,
  });
  objectsAt(node.object, 'spec', 'listeners').forEach((listener, l) =>
    objectsAt(listener, 'tls', 'certificateRefs').forEach((certificate, c) => {
      list.refer({
        kind: textAt(certificate, 'kind') || 'Secret',
        name: textAt(certificate, 'name'),
        ...inNamespace(certificate),
        field: `spec.listeners[${l}].tls.certificateRefs[${c}]`,
        phases: SERVES,
      });
    }),
  );
  return list.edges;
}

/** Istio: gateways by selector, virtual services by host and gateway. */
export function istioEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  objectsAt(node.object, 'spec', 'servers').forEach((server, index) =>
    list.refer({
      kind: 'Secret',
      name: textAt(server, 'tls', 'credentialName'),
      field: `spec.servers[${index}].tls.credentialName`,
      phases: SERVES,
    }),
  );
  textsAt(node.object, 'spec', 'gateways').forEach((gateway, index) => {
    if (gateway === 'mesh') return;
    const [namespace, name] = gateway.includes('/') ? gateway.split('/') : [node.key.namespace, gateway];
    list.refer({
      group: 'networking.istio.io',
      kind: 'Gateway',
      name: name ?? '',
      ...(namespace === undefined ? {} : { namespace }),
      field: `spec.gateways[${index}]`,
      phases: SERVES,
    });
  });
  objectsAt(node.object, 'spec', 'http').forEach((rule, r) =>
    objectsAt(rule, 'route').forEach((route, t) => {
      const [service = '', namespace = node.key.namespace] = textAt(route, 'destination', 'host').split('.');
      list.refer({
        kind: 'Service',
        name: service,
        namespace,
        field: `spec.http[${r}].route[${t}].destination.host`,
        phases: SERVES,
      });
    }),
  );
  return list.edges;
}

/** Webhooks and aggregated APIs need the Service that answers for them. */
export function webhookEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  objectsAt(node.object, 'webhooks').forEach((webhook, index) => {
    const service = objectAt(webhook, 'clientConfig', 'service');
    if (service !== undefined)
      list.refer({
        kind: 'Service',
        name: textAt(service, 'name'),
        namespace: textAt(service, 'namespace'),
        field: `webhooks[${index}].clientConfig.service`,
        phases: SERVES,
      });
  });
  certificateOf(list, node);
  return list.edges;
}

function certificateOf(list: EdgeList, node: Node): void {
  const [namespace, name] = textAt(node.object, 'metadata', 'annotations', 'cert-manager.io/inject-ca-from').split('/');
  if (namespace !== undefined && name !== undefined)
    list.refer({
      group: 'cert-manager.io',
      kind: 'Certificate',
      name,
      namespace,
      field: "metadata.annotations['cert-manager.io/inject-ca-from']",
      phases: SERVES,
    });
}

export function apiServiceEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const service = objectAt(node.object, 'spec', 'service');
  if (isObject(service))
    list.refer({
      kind: 'Service',
      name: textAt(service, 'name'),
      namespace: textAt(service, 'namespace'),
      field: 'spec.service',
      phases: SERVES,
    });
  return list.edges;
}

/** OpenShift's routes. */
export function routeEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.refer({
    kind: 'Service',
    name: textAt(node.object, 'spec', 'to', 'name'),
    field: 'spec.to.name',
    phases: SERVES,
  });
  objectsAt(node.object, 'spec', 'alternateBackends').forEach((backend, index) =>
    list.refer({
      kind: 'Service',
      name: textAt(backend, 'name'),
      field: `spec.alternateBackends[${index}].name`,
      phases: SERVES,
    }),
  );
  list.refer({
    kind: 'Secret',
    name: textAt(node.object, 'spec', 'tls', 'externalCertificate', 'name'),
    field: 'spec.tls.externalCertificate.name',
    phases: SERVES,
  });
  return list.edges;
}
