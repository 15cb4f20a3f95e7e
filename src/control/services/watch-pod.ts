import type { Cluster } from '../../cluster/index.js';
import type { ResourceService } from './resource-service.js';
import type { ResourceNode } from './resource-tree.js';
import { PODS } from '../../model/resources/index.js';

/** Aborts when exactly this pod is gone, so that logs and terminals end even if the connection stays open. */
export function watchPod(
  resources: Pick<ResourceService, 'onChange'>,
  cluster: Cluster,
  { namespace = '', name, uid }: Pick<ResourceNode, 'namespace' | 'name' | 'uid'>,
): { readonly gone: AbortSignal; readonly stop: () => void } {
  const gone = new AbortController();
  const stop = resources.onChange(({ key }) => {
    if (key.kind !== 'Pod' || key.group !== '' || key.name !== name || key.namespace !== namespace) return;
    // A read that fails is tried again at the next change.
    cluster.get(PODS, { namespace, name }).then(
      (pod) => {
        if (pod?.metadata.uid !== uid) gone.abort();
      },
      () => undefined,
    );
  });
  return { gone: gone.signal, stop };
}
