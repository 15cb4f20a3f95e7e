import { Fault } from '../../model/faults/index.js';
import { labelSelectorOf, matchesLabels } from '../../model/kubernetes/index.js';
import { type JsonObject, numberAt, objectAt, objectsAt, valueAt } from '../../model/json/index.js';
import { isUnseen, selectedPods, type Graph, type Node } from '../graph/index.js';
import { textsAt } from '../json/index.js';
import type { Evidence } from '../findings/index.js';
import { lastWrite } from './argo/settings.js';
import { anyOf } from './any-of.js';
import { policyEnforcement } from './policy-enforcement.js';

export type NetworkObstacle =
  | { readonly kind: 'names'; readonly node: Node }
  | { readonly kind: 'policy'; readonly node: Node; readonly field: 'spec.ingress' | 'spec.egress' };

/** What programs write where a name has no address. */
export const UNRESOLVED = anyOf(
  /lookup \S+ on \S+:53/,
  /lookup [^\s:]+: i\/o timeout/,
  /NXDOMAIN|bad address|no such host|server misbehaving|ENOTFOUND|EAI_AGAIN/,
  /[Nn]ame or service not known|name resolution|resolve host|Unknown ?[Hh]ost/,
);

/** The DNS Deployment of the cluster, if it has too few pods. */
export function unhealthyDns(graph: Graph): Node | undefined {
  const dns = graph.store
    .inNamespace('apps', 'Deployment', 'kube-system')
    .find((node) => /^(coredns|kube-dns)$/.test(node.key.name) && !isUnseen(node, 'status'));
  const isShort =
    (numberAt(dns?.object, 'status', 'availableReplicas') ?? 0) <
    Math.max(1, numberAt(dns?.object, 'spec', 'replicas') ?? 1);
  return isShort ? dns : undefined;
}

/**
 * Names that do not resolve although the Service exists: the cluster DNS, if it is unhealthy or was changed recently.
 */
export function dnsObstacle(
  graph: Graph,
  { evidence, onset }: { readonly evidence: readonly Evidence[]; readonly onset?: number },
): NetworkObstacle | undefined {
  if (!evidence.some(({ value }) => UNRESOLVED.test(value))) return undefined;
  const dns = unhealthyDns(graph);
  if (dns !== undefined) return { kind: 'names', node: dns };
  const file = graph.store.get({ group: '', kind: 'ConfigMap', namespace: 'kube-system', name: 'coredns' });
  const changed = lastWrite(file?.object);
  return file !== undefined && changed > 0 && onset !== undefined && changed <= onset && onset - changed < 86_400_000
    ? { kind: 'names', node: file }
    : undefined;
}

/** A NetworkPolicy that blocks a pod from a Service. */
export function deniedByPolicy(pod: Node, service: Node, graph: Graph): NetworkObstacle | undefined {
  const [server] = selectedPods(service, graph);
  if (server === undefined || policyEnforcement(graph) === 'not enforced') return undefined;
  return blocks(server, pod, graph, 'ingress') ?? blocks(pod, server, graph, 'egress');
}

/** A NetworkPolicy that blocks all ingress of a pod, if no other one allows any. */
export function isolatingPolicy(pod: Node, graph: Graph): Node | undefined {
  const policies = policyEnforcement(graph) === 'not enforced' ? [] : policiesOf(pod, graph, 'ingress');
  return policies.every((policy) => objectsAt(policy.object, 'spec', 'ingress').length === 0) ? policies[0] : undefined;
}

function policiesOf(held: Node, graph: Graph, way: 'ingress' | 'egress'): Node[] {
  return graph.store.inNamespace('networking.k8s.io', 'NetworkPolicy', held.key.namespace).filter((policy) => {
    const types = textsAt(policy.object, 'spec', 'policyTypes');
    const concerns =
      types.length === 0
        ? way === 'ingress' || valueAt(policy.object, 'spec', 'egress') !== undefined
        : types.some((type) => type.toLowerCase() === way);
    return concerns && selects(objectAt(policy.object, 'spec', 'podSelector'), held);
  });
}

function blocks(held: Node, other: Node, graph: Graph, way: 'ingress' | 'egress'): NetworkObstacle | undefined {
  const policies = policiesOf(held, graph, way);
  const [first] = policies;
  const peers = way === 'ingress' ? 'from' : 'to';
  // One policy that allows it is enough.
  const isLet = policies.some((policy) =>
    objectsAt(policy.object, 'spec', way).some(
      (rule) =>
        valueAt(rule, peers) === undefined || objectsAt(rule, peers).some((peer) => admits(peer, other, held, graph)),
    ),
  );
  return first === undefined || isLet ? undefined : { kind: 'policy', node: first, field: `spec.${way}` };
}

/** An ipBlock may match anything: it counts as allowed. */
function admits(peer: JsonObject, pod: Node, held: Node, graph: Graph): boolean {
  if (valueAt(peer, 'ipBlock') !== undefined) return true;
  const [pods, namespaces] = [objectAt(peer, 'podSelector'), objectAt(peer, 'namespaceSelector')];
  if (pods !== undefined && !selects(pods, pod)) return false;
  if (namespaces === undefined) return pod.key.namespace === held.key.namespace;
  const namespace = graph.store.get({ group: '', kind: 'Namespace', namespace: '', name: pod.key.namespace });
  return namespace?.object === undefined || selects(namespaces, namespace);
}

function selects(selector: JsonObject | undefined, { object }: Node): boolean {
  try {
    return matchesLabels(labelSelectorOf(selector ?? {}), object?.metadata.labels ?? {});
  } catch (error) {
    // No API server accepts such a selector: it matches nothing.
    if (error instanceof Fault) return false;
    throw error;
  }
}
