import { objectAt, objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionIs, type Graph, type Node, nodeText, selectedPods } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, leaf } from '../make-finding.js';
import { isolatingPolicy } from '../policies.js';
import { policyEnforcement } from '../policy-enforcement.js';
import { portFault } from './service-ports.js';
import { noPods } from './service-selectors.js';

/** Registered by kind. */
export const SERVICE_RULES: RuleTable = {
  '/Service': [serviceRules],
};

/** A Service that leads nowhere: its selector, its ports, or its pods. */
export function serviceRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  if (textAt(object, 'spec', 'type') === 'ExternalName') return [];
  const balancer = loadBalancer(node, graph);
  if (balancer !== undefined) return [balancer];
  const selector = objectAt(object, 'spec', 'selector');
  if (selector === undefined || Object.keys(selector).length === 0) return [];
  const pods = selectedPods(node, graph);
  if (pods.length === 0) return noPods(node, graph, selector);
  const alive = pods.filter((pod) => textAt(pod.object, 'status', 'phase') === 'Running');
  for (const port of objectsAt(object, 'spec', 'ports')) {
    const finding = alive.length === 0 ? undefined : portFault(node, graph, port, alive);
    if (finding !== undefined) return [finding];
  }
  const ready = pods.find((pod) => conditionIs(pod.object, 'Ready', 'True'));
  const closed = ready === undefined ? undefined : isolatingPolicy(ready, graph);
  if (closed !== undefined)
    return [
      leaf(
        'G08',
        node,
        'serve',
        `${nodeText(closed)} blocks all traffic to ${nodeText(node)}, and no other policy allows any`,
        {
          blamed: closed,
          field: 'spec.ingress',
          // Without knowing the network plugin it may be in force, and may be meant.
          ...(policyEnforcement(graph) === 'unknown' ? { suspect: true, impact: 'note' as const } : {}),
          evidence: [fact(closed, 'spec', valueAt(closed.object, 'spec'))],
          fix: change(closed, graph, 'allow the clients of the Service', { risk: 'none' }),
        },
      ),
    ];
  return ready !== undefined || valueAt(object, 'spec', 'publishNotReadyAddresses') === true
    ? []
    : [
        delegate('G02', node, 'serve', `${nodeText(node)} has no ready pods`, {
          evidence: [fact(node, 'spec.selector', selector)],
        }),
      ];
}

/** Clouds take a few minutes. */
const LOAD_BALANCER_TIMEOUT = 600_000;

function loadBalancer(node: Node, graph: Graph): Finding | undefined {
  if (
    textAt(node.object, 'spec', 'type') !== 'LoadBalancer' ||
    objectsAt(node.object, 'status', 'loadBalancer', 'ingress').length > 0
  )
    return undefined;
  const event = graph
    .events(node)
    .find(({ reason }) => /^(SyncLoadBalancerFailed|CreatingLoadBalancerFailed|AllocationFailed)$/.test(reason));
  const age = graph.time - Date.parse(textAt(node.object, 'metadata', 'creationTimestamp'));
  if (
    event === undefined &&
    age > LOAD_BALANCER_TIMEOUT &&
    graph.appsOf(node).some((app) => textAt(app.object, 'status', 'health', 'status') !== 'Healthy')
  )
    return leaf('G03', node, 'serve', `${nodeText(node)} has no load balancer, and no controller is creating one`, {
      evidence: [fact(node, 'status.loadBalancer', valueAt(node.object, 'status', 'loadBalancer') ?? null)],
      field: 'spec.type',
      fix: change(node, graph, 'install a load balancer controller, or use another Service type', {
        risk: 'none',
      }),
    });
  return event === undefined
    ? undefined
    : leaf('G03', node, 'serve', `${nodeText(node)} gets no load balancer: ${event.message}`, {
        evidence: [fact(node, `event ${event.reason}`, event.message)],
        field: 'spec.type',
        fix: act('correct the annotation or quota in the message', [], { where: 'outside' }),
      });
}
