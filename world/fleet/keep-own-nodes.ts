import { isArray, isObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Cluster } from '../../src/cluster/index.js';
import { applyFleet } from './apply-fleet.js';
import type { SymptomWait } from './await-symptoms.js';

/**
 * Brings what must be there before a fleet, and takes away the nodes that are not its own. The embedded cluster begins
 * with some that take any pod; a platform whose pools are all tainted has none of that sort, and where they stay, a pod
 * without tolerations runs on them. They are made while the cluster starts, and nothing tells when the last is there;
 * when the fleet's nodes are ready, the same agent has long made them. One that came later would show: the symptoms
 * would be missing.
 */
export async function keepOwnNodes(
  cluster: Cluster,
  outside: readonly KubeObject[],
  { within, pause, elapsed }: SymptomWait,
): Promise<void> {
  await applyFleet(cluster, outside, []);
  const node = (await cluster.discover()).kinds.find(({ group, kind }) => group === '' && kind === 'Node');
  if (node === undefined) throw new Error('the cluster does not know Node');
  const own = new Set(outside.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name));
  const isOwn = ({ metadata }: KubeObject): boolean => own.has(metadata.name);
  const begin = elapsed();
  let nodes = (await cluster.list(node)).items;
  while (!nodes.filter(isOwn).every(isReady)) {
    if (elapsed() - begin > within) throw new Error('the nodes of the fleet do not become ready');
    await pause();
    nodes = (await cluster.list(node)).items;
  }
  for (const { metadata } of nodes.filter((each) => !isOwn(each)))
    await cluster.remove(node, { name: metadata.name ?? '' }, { uid: metadata.uid ?? '', propagation: 'Background' });
}

function isReady({ status }: KubeObject): boolean {
  return (
    isObject(status) &&
    isArray(status.conditions) &&
    status.conditions.some(
      (condition) => isObject(condition) && condition.type === 'Ready' && condition.status === 'True',
    )
  );
}
