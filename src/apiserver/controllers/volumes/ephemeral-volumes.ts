import { clone } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { items, maybe, sub, text } from '../../resources/index.js';
import { ownKey, reconciler, controllerReference } from '../../controller-runtime/index.js';
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../../../model/resources/index.js';

/** Makes the claims of generic ephemeral volumes, owned by their pod. */
export const ephemeralVolumeController = reconciler({
  name: 'ephemeral-volume-controller',
  watches: [
    { of: PODS, keys: (event) => (event.type === 'ADDED' && templates(event.object).length > 0 ? ownKey(event) : []) },
    {
      of: PERSISTENT_VOLUME_CLAIMS,
      keys: ({ type, object }) => {
        const owner =
          type === 'DELETED'
            ? object.metadata.ownerReferences?.find((each) => each.controller === true && each.kind === 'Pod')
            : undefined;
        return owner ? [{ namespace: object.metadata.namespace ?? '', name: owner.name }] : [];
      },
    },
  ],
  async reconcile({ namespace, name }, { client }) {
    const pod = client.get(PODS, namespace, name);
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
    for (const { claim, template } of templates(pod)) {
      const existing = client.get(PERSISTENT_VOLUME_CLAIMS, namespace, claim);
      if (existing) {
        const owned = existing.metadata.ownerReferences?.some((owner) => owner.uid === pod.metadata.uid) === true;
        if (!owned)
          client.event(
            pod,
            'Warning',
            'ConflictingPVC',
            `PVC ${JSON.stringify(`${namespace}/${claim}`)} was not created for pod ` +
              `${JSON.stringify(`${namespace}/${name}`)} (pod is not owner)`,
            'ephemeral_volume',
          );
        continue;
      }
      const metadata = sub(template, 'metadata') as KubeObject['metadata'];
      await client.create(PERSISTENT_VOLUME_CLAIMS, {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        spec: clone(sub(template, 'spec')),
        metadata: {
          name: claim,
          namespace,
          ...(metadata.labels ? { labels: metadata.labels } : {}),
          ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
          ownerReferences: [controllerReference(pod)],
        },
      });
    }
  },
});

function templates(pod: KubeObject): { claim: string; template: ReturnType<typeof sub> }[] {
  return items(maybe(pod, 'spec'), 'volumes').flatMap((volume) => {
    const template = maybe(volume, 'ephemeral.volumeClaimTemplate');
    return template ? [{ claim: `${pod.metadata.name ?? ''}-${text(volume, 'name')}`, template }] : [];
  });
}
