import type { KubeObject } from '../../src/model/index.js';
import type { Cluster } from '../../src/cluster/index.js';

/**
 * Takes away the nodes that a fleet does not bring. The embedded cluster begins with some that take any pod; a platform whose pools are
 * all tainted has none of that sort, and where they stay, a pod without tolerations may run on them.
 */
export async function keepOwnNodes(cluster: Cluster, outside: readonly KubeObject[]): Promise<void> {
  const { kinds } = await cluster.discover();
  const node = kinds.find(({ group, kind }) => group === '' && kind === 'Node');
  if (node === undefined) throw new Error('the cluster does not know Node');
  const own = new Set(outside.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name));
  for (const { metadata } of (await cluster.list(node)).items) {
    if (!own.has(metadata.name)) await cluster.remove(node, { name: metadata.name ?? '' }, { uid: metadata.uid ?? '', propagation: 'Background' });
  }
}
