import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { ResourceName } from '../../rest/index.js';
import { claimsOf, VOLUMES } from '../../scheduler/index.js';
import { maybe, text } from '../../resources/index.js';
import { ownKey, reconciler, type ControllerHost, type ObjectName } from '../../controller-runtime/index.js';
import { hasEnded } from '../common/pod-conditions.js';
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../../../model/resources/index.js';

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';

/** A claim that a pod uses stays until the pod is gone. */
export const claimProtection = reconciler({
  name: 'pvc-protection-controller',
  watches: [
    { of: PERSISTENT_VOLUME_CLAIMS, keys: (event) => (event.type === 'DELETED' ? [] : ownKey(event)) },
    { of: PODS, keys: ({ object, type }) => (type === 'DELETED' || hasEnded(object) ? claimNames(object) : []) },
  ],
  async reconcile({ namespace, name }, host) {
    const claim = host.client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name);
    if (!claim || claim.metadata.deletionTimestamp === undefined) return;
    const used = host.client
      .list(PODS, namespace)
      .some(
        (pod) =>
          text(maybe(pod, 'spec'), 'nodeName') !== '' &&
          !hasEnded(pod) &&
          claimsOf(pod).some((each) => each.name === name),
      );
    if (!used) await dropFinalizer(PERSISTENT_VOLUME_CLAIMS, claim, CLAIM_FINALIZER, host);
  },
});

function claimNames(pod: KubeObject): ObjectName[] {
  return claimsOf(pod).map(({ name }) => ({ namespace: pod.metadata.namespace ?? '', name }));
}

/** A volume that is bound stays until its claim is gone. */
export const volumeProtection = reconciler({
  name: 'pv-protection-controller',
  watches: [{ of: VOLUMES, keys: (event) => (event.type === 'DELETED' ? [] : ownKey(event)) }],
  async reconcile({ name }, host) {
    const volume = host.client.get(VOLUMES, '', name);
    if (
      !volume ||
      volume.metadata.deletionTimestamp === undefined ||
      text(maybe(volume, 'status'), 'phase') === 'Bound'
    )
      return;
    await dropFinalizer(VOLUMES, volume, VOLUME_FINALIZER, host);
  },
});

async function dropFinalizer(
  of: ResourceName,
  object: KubeObject,
  finalizer: string,
  { client }: ControllerHost,
): Promise<void> {
  const { namespace = '', name = '', uid } = object.metadata;
  await client.edit(of, namespace, name, ({ metadata }) => {
    if (metadata.uid !== uid || !metadata.finalizers?.includes(finalizer)) return false;
    metadata.finalizers = metadata.finalizers.filter((each) => each !== finalizer);
    return true;
  });
}
