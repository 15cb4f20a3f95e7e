import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';

/** Registered by kind. */
export const AUTOSCALER_RULES: RuleTable = {
  'autoscaling/HorizontalPodAutoscaler': [autoscalerRules],
};

function autoscalerRules(node: Node, graph: Graph): readonly Finding[] {
  const able = conditionOf(node.object, 'AbleToScale');
  const active = conditionOf(node.object, 'ScalingActive');
  const isInactive = textAt(active, 'status') === 'False' && textAt(active, 'reason') !== 'ScalingDisabled';
  const inactive = isInactive ? active : undefined;
  const bad = textAt(able, 'status') === 'False' ? able : inactive;
  if (bad === undefined) return [];
  const evidence = [
    fact(node, `status.conditions[${textAt(bad, 'type')}]`, `${textAt(bad, 'reason')}: ${textAt(bad, 'message')}`),
  ];
  const message = textAt(bad, 'message');
  const resource = /missing request for (\w+)/.exec(message)?.[1];
  if (resource !== undefined) {
    const target = graph.edges(node)[0]?.to ?? node;
    return [
      leaf(
        'F11',
        node,
        'reconcile',
        `${nodeText(node)} cannot compute utilization: ${nodeText(target)} has no ${resource} request`,
        {
          evidence,
          blamed: target,
          field: 'spec.template.spec.containers[].resources.requests',
          fix: change(target, graph, 'set resource requests'),
        },
      ),
    ];
  }
  return [
    delegate('F11', node, 'reconcile', `${nodeText(node)} cannot scale: ${message}`, {
      evidence,
      field: 'spec.scaleTargetRef',
      impact: textAt(bad, 'reason') === 'FailedGetScale' ? 'capacity' : 'drift',
    }),
  ];
}
