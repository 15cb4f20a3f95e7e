import { listEventsAbout } from '../../../control/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { ReadServices } from '../../route/index.js';

/** Events about one object of the control plane's cluster. */
export async function eventsAbout({ cluster }: ReadServices, object: KubeObject): Promise<JsonObject[]> {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  return (await listEventsAbout(cluster, { namespace, name, uid })).map(eventView);
}

/** As Argo CD's API returns them: without kind. */
export function eventView({
  apiVersion: _a,
  kind: _k,
  metadata: { managedFields: _m, ...metadata },
  ...rest
}: KubeObject): JsonObject {
  return { metadata, ...rest };
}
