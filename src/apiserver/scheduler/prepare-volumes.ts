import type { KubeObject } from '../../model/kubernetes/index.js';
import { findVolume } from './match-volume.js';
import type { LocalClient } from '../rest/index.js';
import { ensure, maybe } from '../resources/index.js';
import type { ClusterSnapshot } from './filter.js';
import { openClaims } from './volume-filters.js';

export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/**
 * Starts the binding of claims that waited for a pod: a volume that exists is reserved, else the claim learns its node
 * so that a volume is made there. True when all claims are bound.
 */
export async function prepareVolumes(
  client: LocalClient,
  pod: KubeObject,
  node: string,
  view: ClusterSnapshot,
): Promise<boolean> {
  const open = openClaims(pod, view);
  const at = view.nodes.find(({ name }) => name === node)?.node;
  for (const claim of open) {
    const { namespace = '', name = '', annotations } = claim.metadata;
    if (annotations?.[SELECTED_NODE] !== undefined) continue;
    const volume = findVolume(claim, view.volumes(), at);
    if (volume) await reserve(client, volume, claim);
    else {
      await client.edit({ group: '', plural: 'persistentvolumeclaims' }, namespace, name, (copy) => {
        copy.metadata.annotations = { ...copy.metadata.annotations, [SELECTED_NODE]: node };
      });
    }
  }
  return open.length === 0;
}

async function reserve(client: LocalClient, volume: KubeObject, claim: KubeObject): Promise<void> {
  await client.edit({ group: '', plural: 'persistentvolumes' }, '', volume.metadata.name ?? '', (copy) => {
    if (maybe(copy, 'spec.claimRef')) return false;
    ensure(copy, 'spec')['claimRef'] = claimReference(claim);
    copy.metadata.annotations = { ...copy.metadata.annotations, 'pv.kubernetes.io/bound-by-controller': 'yes' };
    return true;
  });
}

export function claimReference(claim: KubeObject): Record<string, string> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata;
  return { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion };
}
