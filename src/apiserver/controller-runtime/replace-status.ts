import type { Json } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LocalClient, ResourceName } from '../rest/index.js';

/** Writes the status of the object, unless another one has its name by now. */
export async function replaceStatus(
  client: LocalClient,
  of: ResourceName,
  { metadata: { namespace = '', name = '', uid } }: KubeObject,
  status: Json | undefined,
): Promise<void> {
  await client.edit(
    of,
    namespace,
    name,
    (copy) => {
      if (copy.metadata.uid !== uid) return false;
      copy['status'] = status;
      return true;
    },
    'status',
  );
}
