import type { KubeObject } from '../../model/kubernetes/index.js';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import { PODS, REPLICA_SETS, type ResourceRef } from '../../model/resources/index.js';

const INFERENCE_SERVICE = 'serving.kserve.io/inferenceservice';

/**
 * `name uid` of the pods that belong to an object: by the label of KServe, otherwise by owner references, with at most
 * one object in between.
 */
export async function findPods(
  cluster: Cluster,
  kind: ResourceRef,
  { metadata: { namespace = '', name = '', uid = '' } }: KubeObject,
): Promise<string[]> {
  if (kind.group === 'serving.kserve.io' && kind.kind === 'InferenceService') {
    return (await cluster.list(PODS, { namespace, labelSelector: `${INFERENCE_SERVICE}=${name}` })).items.map(target);
  }
  const [{ items: pods }, { items: sets }] = await Promise.all([
    cluster.list(PODS, { namespace }),
    cluster.list(REPLICA_SETS, { namespace }),
  ]);
  const owners = new Set([
    uid,
    ...sets.filter((set) => isOwnedBy(set, [uid])).map(({ metadata }) => metadata.uid ?? ''),
  ]);
  return pods.filter((pod) => isOwnedBy(pod, [...owners])).map(target);
}

function target({ metadata: { name = '', uid = '' } }: KubeObject): string {
  return `${name} ${uid}`;
}

function isOwnedBy({ metadata }: KubeObject, owners: readonly string[]): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => owners.includes(uid));
}

/** Evicts exactly these pods, one by one; returns the message if a PodDisruptionBudget blocks one. */
export async function evictPods(
  cluster: Cluster,
  namespace: string,
  targets: readonly string[],
): Promise<string | undefined> {
  for (const each of targets) {
    const [name = '', uid = ''] = each.split(' ');
    try {
      await cluster.create(
        PODS,
        {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { namespace, name },
          deleteOptions: { preconditions: { uid } },
        },
        { subresource: 'eviction', limits: { tries: 1, retryWindow: 0 } },
      );
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      // Deleted, or a new pod of that name: already replaced.
      if (error.isNotFound || error.isConflict) continue;
      if (error.status === 429) return `pod ${name} cannot be evicted now: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}
