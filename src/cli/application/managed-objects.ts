import type { Cluster } from '../../cluster/index.js';
import type { LiveResource } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import { gvkOf, keyText, keyOf, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { withDestination } from './destination.js';
import { Kinds, readManaged } from './live-objects.js';
import type { AppFlags, AppSession } from '../session/index.js';

/** Which objects of an application are meant. */
export interface ResourceFlags extends AppFlags {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly resourceName?: string;
}

export function isWanted(key: Key, { group, kind, namespace, resourceName }: ResourceFlags): boolean {
  return (
    (kind === undefined || kind === key.kind) &&
    (group === undefined || group === key.group) &&
    (namespace === undefined || namespace === key.namespace) &&
    (resourceName === undefined || resourceName === key.name)
  );
}

/** Works with the live objects that an application manages, where they are. */
export function withManaged<T>(
  session: AppSession,
  application: KubeObject,
  act: (cluster: Cluster, kinds: Kinds, managed: readonly KubeObject[]) => Promise<T>,
): Promise<T> {
  return withDestination(session, application, async (cluster) => {
    const kinds = await Kinds.of(cluster);
    return act(cluster, kinds, [...(await readManaged(cluster, kinds, application)).live.values()]);
  });
}

/** An object with how it is addressed. */
export function liveResource(cluster: Cluster, kinds: Kinds, object: KubeObject): LiveResource {
  const kindOf: LiveResource['kindOf'] = (other) => {
    const { group, kind } = gvkOf(other);
    return kinds.find(group, kind);
  };
  const ref = kindOf(object);
  if (ref === undefined)
    throw new Fault('KIND_UNKNOWN', `the cluster does not serve ${object.apiVersion} ${object.kind}`, {
      where: keyText(keyOf(object)),
    });
  // Whoever runs the command acts with the rights of a kubeconfig; what a controller manages does not limit that.
  return { cluster, kindOf, findScopeViolation: () => undefined, object, ref };
}
