import { isObject, objectAt, objectsAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionIs, conditionOf, type Graph, type Node, nodeText, selectedPods } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { delegate, fact } from '../make-finding.js';

/** Registered by kind. */
export const WEBHOOK_RULES: RuleTable = {
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [backedRules],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [backedRules],
  'apiregistration.k8s.io/APIService': [backedRules],
};

/** A webhook or aggregated API whose Service has no ready pods. */
function backedRules(node: Node, graph: Graph): readonly Finding[] {
  if (node.key.kind === 'APIService') {
    const available = conditionOf(node.object, 'Available');
    if (textAt(available, 'status') !== 'False') return [];
    return [
      delegate('F12', node, 'serve', `API ${node.key.name} does not respond: ${textAt(available, 'reason')}`, {
        evidence: [
          fact(node, 'status.conditions[Available]', `${textAt(available, 'reason')}: ${textAt(available, 'message')}`),
        ],
      }),
    ];
  }
  const bad = graph
    .edges(node)
    .filter(
      ({ to }) =>
        to.key.kind === 'Service' && (to.state === 'ghost' || (to.object !== undefined && !servesAnything(to, graph))),
    );
  const blocks = objectsAt(node.object, 'webhooks').some((webhook) => textAt(webhook, 'failurePolicy') !== 'Ignore');
  return bad.length === 0
    ? []
    : [
        delegate('A16', node, 'serve', `webhook ${node.key.name} has no ready backend`, {
          impact: blocks ? 'infrastructure' : 'note',
          evidence: bad.map(({ to, field }) => fact(node, field, nodeText(to))),
        }),
      ];
}

function servesAnything(service: Node, graph: Graph): boolean {
  const selector = objectAt(service.object, 'spec', 'selector');
  return (
    !isObject(selector) ||
    graph.store.listing('', 'Pod', service.key.namespace) !== 'complete' ||
    selectedPods(service, graph).some((pod) => conditionIs(pod.object, 'Ready', 'True'))
  );
}
