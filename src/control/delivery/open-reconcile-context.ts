import { createAssessor, type Assessor, type Catalogue } from '../../health/index.js';
import { isExcluded } from '../../model/settings/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import type { Change, Cluster, ClientDependencies } from '../../cluster/index.js';
import type { SourcesOptions } from '../../source/index.js';
import type { Renderer } from '../manifests/index.js';
import { ClusterCache, type ObjectChange, Clusters, ControlPlaneCache, UnchangedCache } from '../cache/index.js';
import { Comparer, ownerOf, trackingOf } from '../comparison/index.js';
import { countGitRequest, EventRecorder, Metrics } from '../telemetry/index.js';
import { REFRESH_ANNOTATION, type ReconcileContext } from './reconcile-context.js';

export interface ReconcileContextOptions {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly catalogue: Catalogue;
  /** Opened with the credentials of each repository and the polling interval. */
  readonly openRenderer: (
    repositories: Required<Pick<SourcesOptions, 'accessTo' | 'poll' | 'onGitRequest'>>,
  ) => Promise<Renderer>;
  /** Connects to the cluster that a Secret describes. */
  readonly connect: (secret: KubeObject) => Cluster;
  readonly log: Logger;
  /** Applications that were unchanged before; none by default, as for a single inspection. */
  readonly openUnchanged?: () => Promise<UnchangedCache>;
}

/** What the context reports, and whether it may write. */
export interface ChangeHandler {
  onApplication(change: Change): void;
  /** A project, a setting, a repository or a cluster changed. */
  onSettings(): void;
  onObject(change: ObjectChange): void;
  /** The served kinds of a cluster changed. */
  onKinds(): void;
  /** An application uses these repositories. */
  onRepositories(application: KubeObject, repositories: ReadonlySet<string>): void;
  isReadOnly(): boolean;
}

export interface OpenReconcileContext {
  readonly context: ReconcileContext;
  close(): Promise<void>;
}

function cacheSettings({ settings }: ControlPlaneCache): string {
  return JSON.stringify([trackingOf(settings), settings.resourceFilter]);
}

/** The last requested refresh of each cluster, by server: Argo CD writes it to the cluster Secret. */
function requestedRefreshes({ clusters, secret }: Pick<ControlPlaneCache, 'clusters' | 'secret'>): [string, string][] {
  return clusters.map((record) => [
    record.server,
    secret(record.secret).metadata.annotations?.[REFRESH_ANNOTATION] ?? '',
  ]);
}

async function reopenRefreshedCaches(
  controlPlane: ControlPlaneCache,
  clusters: Clusters,
  known: Map<string, string>,
): Promise<void> {
  const requested = requestedRefreshes({
    clusters: controlPlane.clusters,
    secret: (name) => controlPlane.secret(name),
  }).filter(([server, at]) => at !== '' && at !== known.get(server));
  for (const [server, at] of requested) {
    known.set(server, at);
    await clusters.reopen(server);
  }
}

/** Milliseconds for the first lists of a cluster; kinds that need longer are added later. */
const OPEN_TIMEOUT = 20_000;

/** Opens everything that reconciles share. Clusters are opened when the first application needs them. */
export async function openReconcileContext(
  options: ReconcileContextOptions,
  handler: ChangeHandler,
): Promise<OpenReconcileContext> {
  const { cluster, world, namespace, profile, environment, log, connect } = options;
  let assessor: Assessor | undefined;
  const onSettings = (): void => {
    assessor = undefined;
    clusters.forget();
    const now = cacheSettings(controlPlane);
    // Tracking and watched kinds were fixed when the caches were opened.
    const reopened = now === known ? reopenRefreshedCaches(controlPlane, clusters, refreshed) : clusters.reopen();
    known = now;
    reportProblems();
    void reopened.then(() => {
      handler.onSettings();
    });
  };
  const controlPlane = await ControlPlaneCache.open({
    cluster,
    world,
    namespace,
    profile,
    environment,
    onApplication: (change) => {
      handler.onApplication(change);
    },
    onSettings,
  });
  const clusters = new Clusters({
    controlPlane: cluster,
    isInClusterEnabled: () => controlPlane.settings.isInClusterEnabled,
    records: () => controlPlane.clusters,
    connect: (record) => connect(controlPlane.secret(record.secret)),
    openCache: (server, connection) =>
      ClusterCache.open(
        {
          server,
          cluster: connection,
          world,
          isExcluded: (kind) => isExcluded(controlPlane.settings.resourceFilter, kind, server),
          ownerOf: (object) => ownerOf(object, trackingOf(controlPlane.settings)),
          onChange: (change) => {
            handler.onObject(change);
          },
          onKinds: () => {
            handler.onKinds();
          },
        },
        OPEN_TIMEOUT,
      ),
  });
  let known = cacheSettings(controlPlane);
  const refreshed = new Map(
    requestedRefreshes({ clusters: controlPlane.clusters, secret: (name) => controlPlane.secret(name) }),
  );
  const reported = new Set<string>();
  const reportProblems = (): void => {
    const problems = [
      ...controlPlane.problems.map((problem) => `invalid setting ignored: ${problem}`),
      ...controlPlane.clusterProblems.map((problem) => `invalid cluster Secret ignored: ${problem}`),
    ];
    for (const problem of problems) if (!reported.has(problem)) log.warn(problem);
    reported.clear();
    for (const problem of problems) reported.add(problem);
  };
  reportProblems();
  const metrics = new Metrics();
  const renderer = await options.openRenderer({
    accessTo: (url, project) => controlPlane.repositories.access(url, project),
    poll: () => ({
      milliseconds: controlPlane.settings.reconciliation.period,
      jitter: controlPlane.settings.reconciliation.jitter,
    }),
    onGitRequest: (url, type, milliseconds) => {
      countGitRequest(metrics, url, type, milliseconds / 1000);
    },
  });
  const context: ReconcileContext = {
    cluster,
    controlNamespace: namespace,
    controlPlane,
    clusters,
    connect,
    renderer,
    comparer: new Comparer(),
    clock: world.clock,
    metrics,
    log,
    assessor: () =>
      (assessor ??= createAssessor({
        catalogue: options.catalogue,
        overrides: controlPlane.overrides,
        now: () => world.clock.now().getTime(),
        elapsed: () => world.clock.steady(),
      })),
    events: new EventRecorder({ cluster, clock: world.clock, log }),
    isReadOnly: () => handler.isReadOnly(),
    watchRepositories: (application, repositories) => {
      handler.onRepositories(application, repositories);
    },
    unchanged: (await options.openUnchanged?.()) ?? new UnchangedCache(),
  };
  return {
    context,
    close: async () => {
      await clusters.close();
      controlPlane.close();
      await renderer.sources.close();
      await context.unchanged.close();
    },
  };
}
