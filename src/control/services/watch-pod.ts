import type { Cluster } from '../../cluster/index.js';
import type { ApplicationService } from './application-service.js';
import type { ResourceNode } from './resource-tree.js';

export const PODS = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/**
 * Tells when exactly this pod is gone: whatever was opened in it ends then, also where the other side does not notice.
 */
export function watchPod(
  desk: Pick<ApplicationService, 'onObject'>,
  cluster: Cluster,
  { namespace = '', name, uid }: Pick<ResourceNode, 'namespace' | 'name' | 'uid'>,
): { readonly gone: AbortSignal; readonly stop: () => void } {
  const gone = new AbortController();
  const stop = desk.onObject(({ key }) => {
    if (key.kind !== 'Pod' || key.group !== '' || key.name !== name || key.namespace !== namespace) return;
    // One that cannot be asked about now is judged at its next change.
    cluster.get(PODS, { namespace, name }).then(
      (pod) => {
        if (pod?.metadata.uid !== uid) gone.abort();
      },
      () => undefined,
    );
  });
  return { gone: gone.signal, stop };
}
