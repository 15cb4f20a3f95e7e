import { formatTime, instantOf } from '../../model/formats/index.js';
import { type ReconcileContext, REFRESH_ANNOTATION } from '../delivery/index.js';
import { SECRETS } from '../../model/resources/index.js';

/**
 * What is known of a cluster is forgotten here and now; where a Secret describes it, every other process hears of it by
 * that.
 */
export async function refreshCluster(
  server: string,
  { controlPlane, clusters, cluster, controlNamespace: namespace, clock }: ReconcileContext,
): Promise<void> {
  const record = controlPlane.clusters.find((each) => each.server === server);
  if (record !== undefined)
    await cluster.patch(
      SECRETS,
      { namespace, name: record.secret },
      {
        type: 'merge',
        body: { metadata: { annotations: { [REFRESH_ANNOTATION]: formatTime(instantOf(clock.now().getTime())) } } },
      },
    );
  await clusters.reopen(server);
}
