import { ClusterError } from '../../cluster/index.js';
import { collectApplication, collectCluster, loadCatalogue, openTriage } from '../../control/index.js';
import { idOf, qualifiedName } from '../../model/argo/index.js';
import { Fault } from '../../model/faults/index.js';
import { textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ReportedCause, Snapshot } from '../../triage/index.js';
import { withDestination } from '../application/index.js';
import type { AppSession } from '../session/index.js';

/** By `namespace/name`; applications that are well are left out. */
export type CausesByName = ReadonlyMap<string, readonly ReportedCause[]>;

function isWell(application: KubeObject): boolean {
  return (
    textAt(application, 'status', 'sync', 'status') === 'Synced' &&
    textAt(application, 'status', 'health', 'status') === 'Healthy' &&
    textAt(application, 'status', 'operationState', 'phase') !== 'Running'
  );
}

/** What triage says of each of them: one by what is around it, several by the whole cluster, which is read once. */
export async function causesOf(session: AppSession, applications: readonly KubeObject[]): Promise<CausesByName> {
  const unwell = applications.filter((application) => !isWell(application));
  const [first, ...others] = unwell;
  if (first === undefined) return new Map();
  const { host, cluster } = session;
  try {
    const snapshot = others.length === 0 ? await around(session, first) : await collectCluster(cluster, host.now());
    const { causes } = openTriage(loadCatalogue(host.catalogue), host.now)(snapshot);
    return new Map(unwell.map((application) => [nameOf(application), ownCauses(causes, application)]));
  } catch (error) {
    // Whoever asked sees the application all the same; a cluster that does not answer is told below it.
    if (error instanceof Fault || error instanceof ClusterError) return new Map();
    throw error;
  }
}

function around(session: AppSession, application: KubeObject): Promise<Snapshot> {
  const { cluster: controlPlane, controlNamespace, host } = session;
  return withDestination(session, application, (destination) =>
    collectApplication(application, { controlPlane, controlNamespace, destination, now: host.now() }),
  );
}

/** What nothing explains is where to look next; beside an explanation it is no more than a symptom. */
function ownCauses(causes: readonly ReportedCause[], application: KubeObject): readonly ReportedCause[] {
  const { name } = idOf(application);
  const own = causes.filter(({ severity, reach }) => severity !== 'P3' && reach.names.includes(name));
  const explained = own.filter(({ kind }) => kind !== 'unexplained');
  return explained.length > 0 ? explained : own;
}

function nameOf(application: KubeObject): string {
  return qualifiedName(idOf(application));
}
