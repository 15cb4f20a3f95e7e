import type { Cluster } from '../../cluster/index.js';
import { isObject, textAt } from '../../model/index.js';

/** Milliseconds. */
const ANSWERS_WITHIN = 10_000;

/** The version that a cluster says it is, such as v1.34.4. The connection is closed afterwards. */
export async function askVersion(cluster: Cluster): Promise<string> {
  try {
    const answer = await cluster.document('/version', {
      signal: AbortSignal.timeout(ANSWERS_WITHIN),
      limits: { tries: 1 },
    });
    return isObject(answer) ? textAt(answer, 'gitVersion') : '';
  } finally {
    await cluster.close();
  }
}
