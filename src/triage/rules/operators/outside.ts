import type { Finding, RuleTable } from '../../findings/index.js';
import type { Graph, Node } from '../../graph/index.js';
import { act, leaf } from '../make-finding.js';
import { isControlPlane } from '../nodes/control-plane.js';

/** Registered by kind. */
export const OUTSIDE_RULES: RuleTable = {
  '/Component': [outsideRule],
  '/Operator': [outsideRule],
  '/Webhook': [outsideRule],
  '/Nodes': [outsideRule],
};

/** More nodes than this are not named. */
const MAX_PLANES = 3;

/** A component of the control plane runs on its nodes, also where no pod shows it. */
function whereItRuns(graph: Graph): string {
  const planes = graph.store.ofKind('', 'Node').filter(isControlPlane);
  return planes.length === 0 || planes.length > MAX_PLANES
    ? ''
    : ` on ${planes.map(({ key }) => `node ${key.name}`).join(', ')}`;
}

/** Things outside of the snapshot that were named as the cause. */
function outsideRule(node: Node, graph: Graph): readonly Finding[] {
  const { kind, name } = node.key;
  if (kind === 'Component')
    return [
      leaf('F16', node, 'reconcile', `${name} is down${whereItRuns(graph)}`, {
        field: '',
        fix: act(`restart ${name}`, ['kubectl get pods -n kube-system'], { verify: 'kubectl get pods -A' }),
      }),
    ];
  if (kind === 'Operator')
    return [
      leaf('F15', node, 'reconcile', `no controller reconciles ${name}`, {
        field: '',
        fix: act(`install the operator of ${name}, or fix it`, [], { verify: 'kubectl get pods -A' }),
      }),
    ];
  if (kind === 'Webhook')
    return [
      leaf('A16', node, 'admit', `admission webhook ${name} does not respond`, {
        field: 'webhooks[].clientConfig',
        fix: act('repair the backend of the webhook', [
          'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
        ]),
      }),
    ];
  return kind === 'Nodes'
    ? [
        leaf('C09', node, 'schedule', 'nodes are cordoned', {
          field: 'spec.unschedulable',
          fix: act('uncordon the nodes', ['kubectl get nodes']),
        }),
      ]
    : [];
}
