import { acceptedDeviations, type Application, type OperationState } from '../../model/argo/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { normalizeUrl } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ClusterCache, Clusters, KnownCluster } from '../cache/index.js';
import type { Labels, Metrics } from './metrics.js';

/**
 * Names, labels and bounds are those of Argo CD's controller and repository server: dashboards and alerts work as they
 * are.
 */
const RECONCILE_BUCKETS = [0.25, 0.5, 1, 2, 4, 8, 16];
const GIT_BUCKETS = [0.1, 0.25, 0.5, 1, 2, 4, 10, 20];

/** The outcome and duration of one reconcile. */
export function countReconcile(metrics: Metrics, namespace: string, server: string, seconds: number): void {
  metrics.observe(
    'argocd_app_reconcile',
    'Application reconciliation performance in seconds.',
    { namespace, dest_server: server },
    seconds,
    RECONCILE_BUCKETS,
  );
}

/** A sync that is over. */
export function countSync(
  metrics: Metrics,
  { namespace, name, project }: Application,
  server: string,
  { phase, operation, startedAt, finishedAt }: OperationState,
): void {
  const labels = { namespace, name, project, dest_server: server };
  metrics.count('argocd_app_sync_total', 'Number of application syncs.', {
    ...labels,
    phase,
    dry_run: String(operation.sync.dryRun),
  });
  const seconds = (Date.parse(finishedAt ?? '') - Date.parse(startedAt)) / 1000;
  if (seconds >= 0)
    metrics.count(
      'argocd_app_sync_duration_seconds_total',
      'Application sync performance in seconds total.',
      labels,
      seconds,
    );
}

/** What a step of a sync asked of a cluster. */
export interface SyncApiRequest {
  readonly verb: 'Create' | 'Update' | 'Patch' | 'Delete';
  /** Such as deployments. */
  readonly plural: string;
  readonly namespace: string;
  readonly code: number;
}

export function countRequest(
  metrics: Metrics,
  { namespace, name, project }: Application,
  server: string,
  isDryRun: boolean,
  request: SyncApiRequest,
): void {
  metrics.count(
    'argocd_app_k8s_request_total',
    'Number of kubernetes requests executed during application reconciliation.',
    {
      namespace,
      name,
      project,
      server,
      response_code: String(request.code),
      verb: request.verb,
      resource_kind: request.plural,
      resource_namespace: request.namespace,
      dry_run: String(isDryRun),
    },
  );
}

export function countGitRequest(metrics: Metrics, repo: string, type: 'ls-remote' | 'fetch', seconds: number): void {
  const labels = { repo, request_type: type };
  metrics.count('argocd_git_request_total', 'Number of git requests performed by repo server', labels);
  metrics.observe(
    'argocd_git_request_duration_seconds',
    'Git requests duration seconds.',
    labels,
    seconds,
    GIT_BUCKETS,
  );
}

/** Gauges, computed when they are scraped. */
export function registerApplicationMetrics(
  metrics: Metrics,
  applications: () => readonly KubeObject[],
  clusters: Clusters,
): void {
  metrics.read('argocd_app_info', 'gauge', 'Information about application.', () =>
    applications().map((object) => [infoOf(object, clusters), 1] as const),
  );
  metrics.read('argosy_app_accepted', 'gauge', 'Deviations that applications show and declare as accepted.', () =>
    applications().flatMap((object) =>
      acceptedDeviations(object).map(
        (deviation) =>
          [{ namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '', deviation }, 1] as const,
      ),
    ),
  );
  const show = (
    name: string,
    type: 'gauge' | 'counter',
    help: string,
    of: (view: ClusterCache, known: KnownCluster) => Iterable<readonly [Labels, number]>,
  ): void => {
    metrics.read(name, type, help, () =>
      clusters.opened().flatMap(({ known, clusterCache }) => [...of(clusterCache, known)]),
    );
  };
  show('argocd_cluster_info', 'gauge', 'Information about cluster.', ({ server, kubeVersion }, { name }) => [
    [{ server, k8s_version: kubeVersion, name }, 1],
  ]);
  show(
    'argocd_cluster_connection_status',
    'gauge',
    'The k8s cluster current connection status.',
    ({ server, kubeVersion, disconnectedFor }) => [
      [{ server, k8s_version: kubeVersion }, disconnectedFor === undefined ? 1 : 0],
    ],
  );
  show(
    'argocd_cluster_api_resources',
    'gauge',
    'Number of monitored kubernetes API resources.',
    ({ server, status }) => [[{ server }, status.kinds.length]],
  );
  show(
    'argocd_cluster_api_resource_objects',
    'gauge',
    'Number of k8s resource objects in the cache.',
    ({ server, status }) => [[{ server }, status.kinds.reduce((sum, { objects }) => sum + objects, 0)]],
  );
  show('argocd_cluster_cache_age_seconds', 'gauge', 'Cluster cache age in seconds.', ({ server, status }) => [
    [{ server }, (status.age ?? 0) / 1000],
  ]);
  show('argocd_cluster_events_total', 'counter', 'Number of processes k8s resource events.', ({ server, events }) =>
    [...events.values()].map(({ group, kind, count }) => [{ server, group, kind }, count] as const),
  );
}

/** The address of the cluster that an application goes to; empty where it names none that there is. */
export function serverOf(clusters: Clusters, spec: JsonObject): string {
  try {
    const { server, name, namespace } = isObject(spec.destination) ? spec.destination : {};
    return clusters.find({ server: textOf(server), name: textOf(name), namespace: textOf(namespace) }).server;
  } catch (error) {
    if (error instanceof Fault) return '';
    throw error;
  }
}

/** What is known of an application, for as long as it and the clusters stay the same. */
const INFO_CACHE = new WeakMap<KubeObject, { readonly clusters: readonly KnownCluster[]; readonly info: Labels }>();

function infoOf(application: KubeObject, clusters: Clusters): Labels {
  const all = clusters.all();
  const known = INFO_CACHE.get(application);
  if (known?.clusters === all) return known.info;
  const info = readInfo(application, clusters);
  INFO_CACHE.set(application, { clusters: all, info });
  return info;
}

function readInfo({ metadata, spec, status, operation }: KubeObject, clusters: Clusters): Labels {
  const [wanted, reported] = [isObject(spec) ? spec : {}, isObject(status) ? status : {}];
  const source = firstSource(wanted);
  const automated =
    isObject(wanted.syncPolicy) && isObject(wanted.syncPolicy.automated) ? wanted.syncPolicy.automated : undefined;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    project: textOf(wanted.project) || 'default',
    autosync_enabled: String(automated !== undefined && automated.enabled !== false),
    repo: withoutCredentials(normalizeUrl(textOf(source.repoURL))),
    dest_server: serverOf(clusters, wanted),
    dest_namespace: isObject(wanted.destination) ? textOf(wanted.destination.namespace) : '',
    sync_status: statusText(reported.sync) || 'Unknown',
    health_status: statusText(reported.health) || 'Unknown',
    operation: metadata.deletionTimestamp === undefined ? operationLabel(operation) : 'delete',
  };
}

function firstSource({ source, sources }: JsonObject): JsonObject {
  if (isObject(source)) return source;
  return isArray(sources) && isObject(sources[0]) ? sources[0] : {};
}

function operationLabel(operation: Json | undefined): string {
  return isObject(operation) && isObject(operation.sync) ? 'sync' : '';
}

/** An address may carry a password. */
function withoutCredentials(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/@]*@/, '$1');
}

function statusText(value: Json | undefined): string {
  return isObject(value) ? textOf(value.status) : '';
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
