import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';

/** Registered by kind. */
export const SEALED_SECRET_RULES: RuleTable = {
  'bitnami.com/SealedSecret': [sealedSecretRules],
};

function sealedSecretRules(node: Node, graph: Graph): readonly Finding[] {
  const synced = conditionOf(node.object, 'Synced');
  const hasSecret =
    graph.store.get({ group: '', kind: 'Secret', namespace: node.key.namespace, name: node.key.name })?.object !==
    undefined;
  // The condition remains after the Secret was created.
  if (textAt(synced, 'status') !== 'False' || hasSecret)
    return synced === undefined && !hasSecret
      ? [
          delegate('B17', node, 'reconcile', `no controller reconciles ${nodeText(node)}`, {
            evidence: [fact(node, 'status', null)],
          }),
        ]
      : [];
  return [
    leaf('B18', node, 'reconcile', `${nodeText(node)} cannot be decrypted: ${textAt(synced, 'message')}`, {
      field: 'spec.encryptedData',
      evidence: [fact(node, 'status.conditions[Synced]', textAt(synced, 'message'))],
      fix: change(node, graph, 'reseal it with the key of this cluster', { risk: 'none' }),
    }),
  ];
}
