import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';

/** Registered by kind. */
export const CRD_RULES: RuleTable = {
  'apiextensions.k8s.io/CustomResourceDefinition': [crdRules],
};

/** Kinds that are not served. */
function crdRules(node: Node, graph: Graph): readonly Finding[] {
  const bad = ['NamesAccepted', 'Established']
    .map((type) => conditionOf(node.object, type))
    .find((condition) => textAt(condition, 'status') === 'False');
  if (bad === undefined) return [];
  // A sync does not prune definitions, and one that was never accepted holds nothing.
  const isEmpty = textAt(node.object, 'status', 'acceptedNames', 'kind') === '';
  return [
    leaf(
      'F14',
      node,
      'reconcile',
      `kind ${node.key.name} is not served: ${textAt(bad, 'reason')} ${textAt(bad, 'message')}`,
      {
        evidence: [fact(node, `status.conditions[${textAt(bad, 'type')}]`, textAt(bad, 'message'))],
        field: 'spec.names',
        fix: change(
          node,
          graph,
          'use names that no other kind has' +
            (isEmpty ? '; then delete this CustomResourceDefinition, which is empty and which no sync prunes' : ''),
          { risk: 'none', ...(isEmpty ? { actions: [{ kind: 'delete', object: node.key }] } : {}) },
        ),
      },
    ),
  ];
}
