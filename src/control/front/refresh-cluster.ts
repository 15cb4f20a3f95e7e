import { formatTime, instantOf } from '../../model/index.js';
import type { Desk } from '../delivery/desk.js';
import { SECRETS } from '../delivery/home.js';
import { REFRESH } from '../delivery/open-desk.js';

/**
 * What is known of a cluster is forgotten here and now; where a Secret describes it, every other process hears of it by
 * that.
 */
export async function refreshCluster(
  server: string,
  { home, clusters, cluster, controlNamespace: namespace, clock }: Desk,
): Promise<void> {
  const record = home.clusters.find((each) => each.server === server);
  if (record !== undefined)
    await cluster.patch(
      SECRETS,
      { namespace, name: record.secret },
      {
        type: 'merge',
        body: { metadata: { annotations: { [REFRESH]: formatTime(instantOf(clock.now().getTime())) } } },
      },
    );
  await clusters.reopen(server);
}
