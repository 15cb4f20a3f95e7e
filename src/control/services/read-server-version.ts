import type { Cluster } from '../../cluster/index.js';
import { isObject, textAt } from '../../model/json/index.js';

/** Milliseconds. */
const VERSION_TIMEOUT = 10_000;

/** The version that a cluster says it is, such as v1.34.4. The connection is closed afterwards. */
export async function readServerVersion(cluster: Cluster): Promise<string> {
  try {
    const answer = await cluster.document('/version', {
      signal: AbortSignal.timeout(VERSION_TIMEOUT),
      limits: { tries: 1 },
    });
    return isObject(answer) ? textAt(answer, 'gitVersion') : '';
  } finally {
    await cluster.close();
  }
}
