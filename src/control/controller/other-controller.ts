import { Fault } from '../../model/faults/index.js';
import { isObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import { DEPLOYMENTS, type ResourceRef, STATEFUL_SETS } from '../../model/resources/index.js';

const WORKLOADS: readonly ResourceRef[] = [STATEFUL_SETS, DEPLOYMENTS];
const CONTROLLER_NAME = 'argocd-application-controller';

/**
 * Why an Argo CD controller seems to deliver these applications; undefined if none does. Two controllers would revert
 * each other's work, so ours stays read-only.
 */
export async function findOtherController(
  cluster: Cluster,
  namespace: string,
  applications: readonly KubeObject[],
  now: Date,
  period: number,
  report: (problem: string) => void,
): Promise<string | undefined> {
  const running = await findRunningWorkload(cluster, namespace, CONTROLLER_NAME, report);
  if (running !== undefined) return `Argo CD's controller runs as ${running}`;
  // Without permission to list workloads, it is found by its writes.
  const recent = now.getTime() - 3 * Math.max(period, 60_000);
  const written = applications.find(({ metadata }) =>
    (metadata.managedFields ?? []).some(
      ({ manager, time }) => manager === CONTROLLER_NAME && typeof time === 'string' && Date.parse(time) > recent,
    ),
  );
  return written === undefined
    ? undefined
    : `Argo CD's controller wrote ${namespace}/${written.metadata.name ?? ''} recently`;
}

/** A running workload of Argo CD by component name; undefined if there is none, or none may be listed. */
export async function findRunningWorkload(
  cluster: Cluster,
  namespace: string,
  name: string,
  report: (problem: string) => void,
): Promise<string | undefined> {
  for (const kind of WORKLOADS) {
    try {
      const running = (await workloads(cluster, kind, namespace, name)).find(
        ({ status }) => isObject(status) && typeof status.readyReplicas === 'number' && status.readyReplicas > 0,
      );
      if (running !== undefined)
        return `${kind.kind} ${running.metadata.namespace ?? namespace}/${running.metadata.name ?? ''}`;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (!(error instanceof ClusterError && (error.status === 403 || error.isNotFound)))
        report(`cannot determine whether Argo CD is running: ${error.message}`);
    }
  }
  return undefined;
}

/** In all namespaces if permitted, since applications may be in any; else in our own. */
async function workloads(
  cluster: Cluster,
  kind: ResourceRef,
  namespace: string,
  name: string,
): Promise<readonly KubeObject[]> {
  const labelSelector = `app.kubernetes.io/name=${name}`;
  try {
    return (await cluster.list(kind, { labelSelector })).items;
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    return (await cluster.list(kind, { namespace, labelSelector })).items;
  }
}
