import { serverOf, withoutLastApplied, type ClusterRecord } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ClusterCache, Clusters } from '../cache/index.js';

/** A cluster without its credentials. */
export interface ClusterSummary {
  readonly server: string;
  readonly name: string;
  readonly project: string;
  /** The shard that its Secret chooses. */
  readonly shard: number | undefined;
  /** Successful, Failed, or Unknown as long as no application needed it. */
  readonly state: 'Successful' | 'Failed' | 'Unknown';
  readonly message: string;
  readonly version: string;
  readonly resources: number;
  readonly kinds: number;
  readonly namespaces: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly applications: number;
}

const SECRET_TYPE = 'argocd.argoproj.io/secret-type';

export function summarizeClusters(
  clusters: Clusters,
  records: readonly ClusterRecord[],
  applications: readonly KubeObject[],
  secretOf: (name: string) => KubeObject,
): ClusterSummary[] {
  const open = new Map(clusters.opened().map(({ known, clusterCache }) => [known.server, clusterCache]));
  return clusters.all().map(({ server, name, project, shard }) => {
    const view = open.get(server);
    const record = records.find((each) => each.server === server);
    const secret = record === undefined ? undefined : secretOf(record.secret);
    const { labels: { [SECRET_TYPE]: _, ...labels } = {} } = secret?.metadata ?? {};
    const status = view?.status;
    return {
      server,
      name,
      project,
      shard,
      labels,
      annotations: withoutLastApplied(secret?.metadata.annotations),
      namespaces: record?.namespaces ?? [],
      version: view?.kubeVersion ?? '',
      kinds: status?.kinds.length ?? 0,
      resources: status?.kinds.reduce((sum, { objects }) => sum + objects, 0) ?? 0,
      applications: applications.filter((application) => [server, name].includes(serverOf(application))).length,
      ...connectionOf(view),
    };
  });
}

function connectionOf(view: ClusterCache | undefined): Pick<ClusterSummary, 'state' | 'message'> {
  if (view === undefined)
    return { state: 'Unknown', message: 'Cluster has no applications and is not being monitored.' };
  const silent = view.disconnectedFor;
  if (silent === undefined) return { state: 'Successful', message: '' };
  return { state: 'Failed', message: `no contact with the cluster for ${Math.round(silent / 1000)} s` };
}
