import type { Finding } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, fact, leaf, shellWord } from '../make-finding.js';

/** Vault says by labels of its pods whether it was ever initialised and whether it is open. */
export function vaultState(pod: Node, graph: Graph): Finding | undefined {
  const label = (name: string): string => textAt(pod.object, 'metadata', 'labels', name);
  if (
    textAt(conditionOf(pod.object, 'Ready'), 'status') === 'True' ||
    textAt(pod.object, 'status', 'phase') !== 'Running'
  )
    return undefined;
  const exec = `kubectl exec -i ${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)} --`;
  if (label('vault-initialized') === 'false') {
    return leaf('B21', pod, 'ready', `the vault in ${nodeText(pod)} was never initialised`, {
      blamed: pod,
      field: "metadata.labels['vault-initialized']",
      evidence: [fact(pod, "metadata.labels['vault-initialized']", 'false')],
      fix: act(
        'let its bootstrap job initialise it, or do it by hand and keep the keys where they belong',
        [`${exec} vault operator init -status`],
        { where: 'outside', reversible: false, verify: `${exec} vault status` },
      ),
    });
  }
  if (label('vault-sealed') !== 'true') return undefined;
  return leaf('B06', pod, 'ready', `the vault in ${nodeText(pod)} is sealed`, {
    field: 'status',
    signature: `sealed ${graph.top(pod).id}`,
    evidence: [fact(pod, "metadata.labels['vault-sealed']", 'true')],
    fix: act(
      'unseal it; configure auto-unseal so that a restart does not seal it',
      [`${exec} vault operator unseal -   # the key by standard input`],
      { verify: `${exec} vault status` },
    ),
  });
}

/**
 * A line of Argo CD's controller that says nothing about the cluster: an entry of its cache ended and was made again.
 */
export function cacheNoise(pod: Node, graph: Graph): Finding[] {
  const lines = graph
    .logs(pod)
    .flatMap((log) => log.lines)
    .filter((line) => line.includes('DiffFromCache error') && line.includes('cache: key is missing'));
  if (lines.length === 0) return [];
  return [
    leaf(
      'A47',
      pod,
      'run',
      `${nodeText(pod)} wrote ${lines.length} lines about missing keys of its cache: entries end after an ` +
        'hour and are made again',
      {
        level: 'waiting',
        field: 'spec.template.spec.containers[].env',
        evidence: [fact(pod, 'log', lines.at(-1) ?? '')],
        fix: change(
          pod,
          graph,
          'noise: set ARGOCD_APP_STATE_CACHE_EXPIRATION to some hours (10h at most) to see less of it',
        ),
      },
    ),
  ];
}
