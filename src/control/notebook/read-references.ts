import { isObject } from '../../model/json/index.js';
import { ClusterError, type Cluster } from '../../cluster/index.js';
import { referencesOf, type NotebookJob } from '../../notebook/index.js';
import { CONFIG_MAPS, SECRETS } from '../../model/resources/index.js';

/** Which of the Secrets and ConfigMaps that a job names are there, and with which keys. Values are never kept. */
export async function readReferences(
  cluster: Cluster,
  job: NotebookJob,
): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const entries = await Promise.all(
    referencesOf(job).map(async (reference): Promise<readonly [string, readonly string[] | undefined]> => {
      const [kind, name = ''] = reference.split(' ');
      try {
        const object = await cluster.get(kind === 'Secret' ? SECRETS : CONFIG_MAPS, { namespace: job.namespace, name });
        return [reference, object === undefined ? undefined : Object.keys(isObject(object.data) ? object.data : {})];
      } catch (error) {
        // Without permission to read, the pod will report it.
        if (error instanceof ClusterError && error.status === 403) return [reference, ['ssh-privatekey']];
        throw error;
      }
    }),
  );
  return new Map(entries);
}
