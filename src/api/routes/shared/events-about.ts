import type { Cluster } from '../../../control/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import { EVENTS } from '../../../model/resources/index.js';

/** Events about one object, as Argo CD's API returns them: without kind. */
export async function eventsAbout(
  cluster: Cluster,
  namespace: string,
  name: string,
  uid: string,
): Promise<JsonObject[]> {
  const fieldSelector = [`involvedObject.name=${name}`, ...(uid === '' ? [] : [`involvedObject.uid=${uid}`])].join(',');
  const { items } = await cluster.list(EVENTS, { namespace, fieldSelector });
  return items.map(({ apiVersion: _a, kind: _k, metadata: { managedFields: _m, ...metadata }, ...rest }) => ({
    metadata,
    ...rest,
  }));
}
