import type { KubeObject } from '../../model/kubernetes/index.js';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import { PODS, REPLICA_SETS, type ResourceRef } from '../../model/resources/index.js';

const INFERENCE_SERVICE = 'serving.kserve.io/inferenceservice';

/**
 * `name uid` of the pods that belong to an object: by the label of KServe, else by owners, over at most one object
 * between.
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

/** Asks for the end of exactly these pods, one after the other; says which is held, where a budget holds one. */
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
      // Gone, or another pod of that name: replaced already.
      if (error.isNotFound || error.isConflict) continue;
      if (error.status === 429) return `pod ${name} may not go now: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}
