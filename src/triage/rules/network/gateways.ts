import { objectAt, objectsAt, own } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt, wordOf } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';
import { ingressRules } from './ingresses.js';

/** Registered by kind. */
export const GATEWAY_RULES: RuleTable = {
  'gateway.networking.k8s.io/Gateway': [gatewayRules],
  'gateway.networking.k8s.io/HTTPRoute': [gatewayRules],
  'gateway.networking.k8s.io/GRPCRoute': [gatewayRules],
  'networking.istio.io/VirtualService': [istioRules],
  'networking.istio.io/Gateway': [istioRules],
};

/** The mesh: what it refers to, and whether any pod is the gateway that it means. */
function istioRules(node: Node, graph: Graph): readonly Finding[] {
  const found = [
    ...ingressRules(node, graph).map((finding) => ({ ...finding, rule: 'G07' as const })),
    ...subsetsOfNobody(node, graph),
  ];
  const selector = objectAt(node.object, 'spec', 'selector');
  if (
    node.key.kind !== 'Gateway' ||
    selector === undefined ||
    graph.store.listing('', 'Pod', node.key.namespace) !== 'complete'
  )
    return found;
  const labels = Object.fromEntries(Object.keys(selector).map((key) => [key, wordOf(own(selector, key))]));
  const isMeant = graph.store
    .ofKind('', 'Pod')
    .some(({ object }) =>
      Object.entries(labels).every(([key, value]) => textAt(object, 'metadata', 'labels', key) === value),
    );
  return isMeant
    ? found
    : [
        ...found,
        leaf('G07', node, 'serve', `the selector of ${nodeText(node)} matches no gateway pod`, {
          evidence: [fact(node, 'spec.selector', selector)],
          field: 'spec.selector',
          fix: change(node, graph, 'select the labels of an ingress gateway, or install one', { risk: 'none' }),
        }),
      ];
}

/** A route may use a subset of a Service; only a DestinationRule of that host defines it. */
function subsetsOfNobody(node: Node, graph: Graph): Finding[] {
  const fullName = (host: string, namespace: string): string =>
    host.split('.').length > 1 ? host.split('.').slice(0, 2).join('.') : `${host}.${namespace}`;
  const known = graph.once(
    'subsets of the mesh',
    () =>
      new Map(
        graph.store
          .ofKind('networking.istio.io', 'DestinationRule')
          .map(({ key, object }) => [
            fullName(textAt(object, 'spec', 'host'), key.namespace),
            objectsAt(object, 'spec', 'subsets').map((subset) => textAt(subset, 'name')),
          ]),
      ),
  );
  return objectsAt(node.object, 'spec', 'http').flatMap((rule, r) =>
    objectsAt(rule, 'route').flatMap((route, t) => {
      const [host, subset] = [textAt(route, 'destination', 'host'), textAt(route, 'destination', 'subset')];
      const subsets = known.get(fullName(host, node.key.namespace)) ?? [];
      if (
        subset === '' ||
        subsets.includes(subset) ||
        graph.store.listing('networking.istio.io', 'DestinationRule', node.key.namespace) !== 'complete'
      )
        return [];
      const field = `spec.http[${r}].route[${t}].destination.subset`;
      return [
        leaf(
          'G07',
          node,
          'serve',
          `${nodeText(node)} routes to subset ${subset} of ${host}, which no DestinationRule defines`,
          {
            evidence: [
              fact(node, field, subset),
              { of: 'DestinationRules', path: 'spec.subsets[].name', value: subsets.join(', ') || 'none' },
            ],
            field,
            fix: change(node, graph, 'use a subset that exists, or add it to the DestinationRule', {
              risk: 'none',
            }),
          },
        ),
      ];
    }),
  );
}

/** Gateway API keeps its conditions in several places. */
function gatewayRules(node: Node, graph: Graph): readonly Finding[] {
  const conditions = [
    ...objectsAt(node.object, 'status', 'conditions'),
    ...objectsAt(node.object, 'status', 'parents').flatMap((parent) => objectsAt(parent, 'conditions')),
    ...objectsAt(node.object, 'status', 'listeners').flatMap((listener) => objectsAt(listener, 'conditions')),
  ];
  const bad = conditions.find(
    (condition) =>
      ['Accepted', 'Programmed', 'ResolvedRefs'].includes(textAt(condition, 'type')) &&
      textAt(condition, 'status') === 'False',
  );
  if (bad === undefined) return [];
  const evidence = [
    fact(node, `status.conditions[${textAt(bad, 'type')}]`, `${textAt(bad, 'reason')}: ${textAt(bad, 'message')}`),
  ];
  return [
    leaf('G06', node, 'serve', `${nodeText(node)} is not served: ${textAt(bad, 'reason')} ${textAt(bad, 'message')}`, {
      evidence,
      field: gatewayField(textAt(bad, 'reason')),
      fix: change(node, graph, 'correct the reference in the message', { risk: 'none' }),
    }),
  ];
}

function gatewayField(reason: string): string {
  if (/Backend|RefNotPermitted/.test(reason)) return 'spec.rules[].backendRefs';
  return /Parent|Listener/.test(reason) ? 'spec.parentRefs' : 'spec';
}
