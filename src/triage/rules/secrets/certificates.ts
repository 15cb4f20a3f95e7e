import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionIs, conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, kubectlName, leaf } from '../make-finding.js';

/** Registered by kind. */
export const CERTIFICATE_RULES: RuleTable = {
  'cert-manager.io/Certificate': [certificateRules],
  'cert-manager.io/CertificateRequest': [certificateRules],
  'cert-manager.io/Issuer': [issuerRules],
  'cert-manager.io/ClusterIssuer': [issuerRules],
  'acme.cert-manager.io/Order': [acmeRules],
  'acme.cert-manager.io/Challenge': [acmeRules],
};

function certificateRules(node: Node, graph: Graph): readonly Finding[] {
  const ready = conditionOf(node.object, 'Ready');
  const end = Date.parse(textAt(node.object, 'status', 'notAfter'));
  if (textAt(ready, 'status') === 'True')
    return Number.isNaN(end) || end > graph.time
      ? []
      : [
          delegate('G11', node, 'reconcile', `${nodeText(node)} expired ${textAt(node.object, 'status', 'notAfter')}`, {
            evidence: [fact(node, 'status.notAfter', textAt(node.object, 'status', 'notAfter'))],
          }),
        ];
  const evidence = [fact(node, 'status.conditions[Ready]', `${textAt(ready, 'reason')}: ${textAt(ready, 'message')}`)];
  if (/Denied|Failed|InvalidRequest/.test(textAt(ready, 'reason')) && node.key.kind === 'CertificateRequest')
    return [
      leaf('G10', node, 'reconcile', `${nodeText(node)} was denied: ${textAt(ready, 'message')}`, {
        evidence,
        blamed: graph.top(node),
        field: 'spec',
        fix: change(graph.top(node), graph, 'correct what the issuer rejects', { risk: 'none' }),
      }),
    ];
  const issuer = graph.edges(node).find(({ field }) => field === 'spec.issuerRef')?.to;
  return [
    delegate('G10', node, 'reconcile', `${nodeText(node)} is not issued: ${textAt(ready, 'message')}`, {
      evidence,
      ...(issuer?.state === 'ghost' || (issuer?.object !== undefined && conditionIs(issuer.object, 'Ready', 'False'))
        ? { target: issuer }
        : {}),
    }),
  ];
}

function issuerRules(node: Node, graph: Graph): readonly Finding[] {
  const ready = conditionOf(node.object, 'Ready');
  if (textAt(ready, 'status') !== 'False') return [];
  const evidence = [fact(node, 'status.conditions[Ready]', `${textAt(ready, 'reason')}: ${textAt(ready, 'message')}`)];
  const isGhost = graph.edges(node).some(({ to }) => to.state === 'ghost');
  if (isGhost)
    return [
      delegate('G10', node, 'reconcile', `${nodeText(node)} cannot issue: ${textAt(ready, 'message')}`, {
        evidence,
        impact: 'infrastructure',
      }),
    ];
  return [
    leaf('G10', node, 'reconcile', `${nodeText(node)} cannot issue: ${textAt(ready, 'message')}`, {
      evidence,
      impact: 'infrastructure',
      field: 'spec',
      fix: change(node, graph, 'correct the issuer', { risk: 'none' }),
    }),
  ];
}

/** Orders and challenges of ACME. */
function acmeRules(node: Node, graph: Graph): readonly Finding[] {
  const state = textAt(node.object, 'status', 'state');
  if (state === 'valid' || state === 'ready' || state === '') return [];
  const reason = textAt(node.object, 'status', 'reason');
  const evidence = [fact(node, 'status.state', `${state} ${reason}`)];
  if (node.key.kind === 'Order' && graph.store.children(node).length > 0)
    return [delegate('G10', node, 'reconcile', `${nodeText(node)} is ${state}`, { evidence })];
  return [
    leaf('G10', node, 'reconcile', `${nodeText(node)} is ${state}: ${reason}`, {
      evidence,
      blamed: graph.top(node),
      field: 'spec.dnsNames',
      fix: act('make the DNS name reachable for the challenge', [], {
        where: 'outside',
        verify: `kubectl get ${kubectlName(node)}`,
      }),
    }),
  ];
}
