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
  /** Opened with what opens each repository, and how often it is asked. */
  readonly openRenderer: (
    repositories: Required<Pick<SourcesOptions, 'accessTo' | 'poll' | 'onGitRequest'>>,
  ) => Promise<Renderer>;
  /** To the cluster that a Secret describes. */
  readonly connect: (secret: KubeObject) => Cluster;
  readonly log: Logger;
  /** What was settled before; nothing where only one look is made. */
  readonly openUnchanged?: () => Promise<UnchangedCache>;
}

/** Who wants to hear what. */
export interface ChangeHandler {
  onApplication(change: Change): void;
  /** A project, a setting, a repository or a cluster changed. */
  onSettings(): void;
  onObject(change: ObjectChange): void;
  /** What a cluster serves changed. */
  onKinds(): void;
  /** An application comes from these repositories. */
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

/** When somebody last asked for a new look at a cluster, by server: Argo CD writes it to the Secret of the cluster. */
function requestedRefreshes({ clusters, secret }: Pick<ControlPlaneCache, 'clusters' | 'secret'>): [string, string][] {
  return clusters.map((record) => [
    record.server,
    secret(record.secret).metadata.annotations?.[REFRESH_ANNOTATION] ?? '',
  ]);
}

async function reopenRefreshedCaches(
  home: ControlPlaneCache,
  clusters: Clusters,
  known: Map<string, string>,
): Promise<void> {
  const news = requestedRefreshes({ clusters: home.clusters, secret: (name) => home.secret(name) }).filter(
    ([server, at]) => at !== '' && at !== known.get(server),
  );
  for (const [server, at] of news) {
    known.set(server, at);
    await clusters.reopen(server);
  }
}

/** Milliseconds that a cluster has for its first answers; kinds that need longer come in later. */
const OPEN_TIMEOUT = 20_000;

/** Opens everything that a look at an application needs. Clusters are opened when the first application needs them. */
export async function openReconcileContext(
  options: ReconcileContextOptions,
  listener: ChangeHandler,
): Promise<OpenReconcileContext> {
  const { cluster, world, namespace, profile, environment, log, connect } = options;
  let assessor: Assessor | undefined;
  const forget = (): void => {
    assessor = undefined;
    clusters.forget();
    const now = cacheSettings(home);
    // What is tracked and what is watched was decided when the views were opened.
    const reopened = now === known ? reopenRefreshedCaches(home, clusters, refreshed) : clusters.reopen();
    known = now;
    complain();
    void reopened.then(() => {
      listener.onSettings();
    });
  };
  const home = await ControlPlaneCache.open({
    cluster,
    world,
    namespace,
    profile,
    environment,
    onApplication: (change) => {
      listener.onApplication(change);
    },
    onSettings: forget,
  });
  const clusters = new Clusters({
    controlPlane: cluster,
    isInClusterEnabled: () => home.settings.isInClusterEnabled,
    records: () => home.clusters,
    connect: (record) => connect(home.secret(record.secret)),
    openCache: (server, connection) =>
      ClusterCache.open(
        {
          server,
          cluster: connection,
          world,
          isExcluded: (kind) => isExcluded(home.settings.resourceFilter, kind, server),
          ownerOf: (object) => ownerOf(object, trackingOf(home.settings)),
          onChange: (change) => {
            listener.onObject(change);
          },
          onKinds: () => {
            listener.onKinds();
          },
        },
        OPEN_TIMEOUT,
      ),
  });
  let known = cacheSettings(home);
  const refreshed = new Map(requestedRefreshes({ clusters: home.clusters, secret: (name) => home.secret(name) }));
  const told = new Set<string>();
  const complain = (): void => {
    const problems = [
      ...home.problems.map((problem) => `a setting is not used: ${problem}`),
      ...home.clusterProblems.map((problem) => `a cluster is not used: ${problem}`),
    ];
    for (const problem of problems) if (!told.has(problem)) log.warn(problem);
    told.clear();
    for (const problem of problems) told.add(problem);
  };
  complain();
  const metrics = new Metrics();
  const workshop = await options.openRenderer({
    accessTo: (url, project) => home.repositories.access(url, project),
    poll: () => ({ milliseconds: home.settings.reconciliation.period, jitter: home.settings.reconciliation.jitter }),
    onGitRequest: (url, type, milliseconds) => {
      countGitRequest(metrics, url, type, milliseconds / 1000);
    },
  });
  const desk: ReconcileContext = {
    cluster,
    controlNamespace: namespace,
    controlPlane: home,
    clusters,
    connect,
    renderer: workshop,
    comparer: new Comparer(),
    clock: world.clock,
    metrics,
    log,
    assessor: () =>
      (assessor ??= createAssessor({
        catalogue: options.catalogue,
        overrides: home.overrides,
        now: () => world.clock.now().getTime(),
        elapsed: () => world.clock.steady(),
      })),
    events: new EventRecorder({ cluster, clock: world.clock, log }),
    isReadOnly: () => listener.isReadOnly(),
    watchRepositories: (application, repositories) => {
      listener.onRepositories(application, repositories);
    },
    unchanged: (await options.openUnchanged?.()) ?? new UnchangedCache(),
  };
  return {
    context: desk,
    close: async () => {
      await clusters.close();
      home.close();
      await workshop.sources.close();
      await desk.unchanged.close();
    },
  };
}
