import type { Finding, RuleTable } from '../../findings/index.js';
import type { Node } from '../../graph/index.js';
import { act, leaf } from '../make-finding.js';

/** Registered by kind. */
export const OUTSIDE_RULES: RuleTable = {
  '/Component': [outsideRule],
  '/Operator': [outsideRule],
  '/Webhook': [outsideRule],
  '/Nodes': [outsideRule],
};

/** Things outside of the snapshot that were named as the cause. */
function outsideRule(node: Node): readonly Finding[] {
  const { kind, name } = node.key;
  if (kind === 'Component')
    return [
      leaf('F16', node, 'reconcile', `${name} is down`, {
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
