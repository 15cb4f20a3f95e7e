import type { Finding } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, fact, leaf, shellWord } from '../make-finding.js';
import { unsealCommand } from '../secrets/vault.js';

/** Labels of Vault pods show whether it is initialized and sealed. */
export function vaultState(pod: Node, graph: Graph): Finding | undefined {
  const label = (name: string): string => textAt(pod.object, 'metadata', 'labels', name);
  if (
    textAt(conditionOf(pod.object, 'Ready'), 'status') === 'True' ||
    textAt(pod.object, 'status', 'phase') !== 'Running'
  )
    return undefined;
  const exec = `kubectl exec -i ${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)} --`;
  if (label('vault-initialized') === 'false') {
    return leaf('B21', pod, 'ready', `the vault in ${nodeText(pod)} was never initialized`, {
      blamed: pod,
      field: "metadata.labels['vault-initialized']",
      evidence: [fact(pod, "metadata.labels['vault-initialized']", 'false')],
      fix: act(
        'initialize it with its bootstrap job, or manually, and store the keys safely',
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
    fix: act('unseal it; configure auto-unseal so that a restart does not seal it', [unsealCommand(pod, graph)], {
      verify: `${exec} vault status`,
    }),
  });
}

/** A harmless log line of Argo CD's controller: a cache entry expired and was recreated. */
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
      `${nodeText(pod)} logged ${lines.length} cache misses: entries expire after an hour ` + 'and are recreated',
      {
        level: 'waiting',
        field: 'spec.template.spec.containers[].env',
        evidence: [fact(pod, 'log', lines.at(-1) ?? '')],
        fix: change(
          pod,
          graph,
          'harmless: set ARGOCD_APP_STATE_CACHE_EXPIRATION to a few hours (at most 10h) to log less',
        ),
      },
    ),
  ];
}
