import type { Cluster } from '../../cluster/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { EVENTS } from '../../model/resources/index.js';

/** Events about one object; without a uid, about whatever had the name. */
export async function listEventsAbout(
  cluster: Pick<Cluster, 'list'>,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
): Promise<KubeObject[]> {
  const fieldSelector = [`involvedObject.name=${name}`, ...(uid === '' ? [] : [`involvedObject.uid=${uid}`])].join(',');
  return (await cluster.list(EVENTS, { namespace, fieldSelector })).items;
}
