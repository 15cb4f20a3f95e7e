import { createAssessor, type Assessor, type Catalogue } from '../../health/index.js';
import { isExcluded } from '../../model/settings/index.js';
import type { Audit } from '../../audit/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import type { Change, Cluster, ClientDependencies } from '../../cluster/index.js';
import type { SourcesOptions } from '../../source/index.js';
import type { Renderer } from '../manifests/index.js';
import {
  ClusterCache,
  type ObjectChange,
  Clusters,
  ControlPlaneCache,
  digestOf,
  UnchangedCache,
} from '../cache/index.js';
import { Comparer, ownerOf, trackingOf } from '../comparison/index.js';
import { AuditTrail, countGitRequest, EventRecorder, Metrics } from '../telemetry/index.js';
import { openTriage } from '../triage/index.js';
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
  readonly audit: Audit;
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

/** What the cache of a cluster was opened with. */
interface OpenedWith {
  /** The last requested refresh: Argo CD writes it to the cluster Secret. */
  readonly refresh: string;
  /** Its credentials, and what of it is managed. */
  readonly connection: string;
}

function clusterStates({ clusters, secret }: Pick<ControlPlaneCache, 'clusters' | 'secret'>): [string, OpenedWith][] {
  return clusters.map((record) => [
    record.server,
    {
      refresh: secret(record.secret).metadata.annotations?.[REFRESH_ANNOTATION] ?? '',
      connection: digestOf(JSON.stringify([record.config, record.namespaces, record.clusterResources])),
    },
  ]);
}

/** Opens caches again of which a refresh was requested, or whose Secret has other credentials or another scope. */
async function reopenChangedCaches(
  controlPlane: ControlPlaneCache,
  clusters: Clusters,
  known: Map<string, OpenedWith>,
): Promise<void> {
  const now = clusterStates({ clusters: controlPlane.clusters, secret: (name) => controlPlane.secret(name) });
  for (const [server, state] of now) {
    const before = known.get(server);
    const isRequested = state.refresh !== '' && state.refresh !== before?.refresh;
    known.set(server, { ...state, refresh: state.refresh === '' ? (before?.refresh ?? '') : state.refresh });
    // A Secret that is new may be the first one for the cluster itself, which is open already.
    if (isRequested || state.connection !== before?.connection) await clusters.reopen(server);
  }
  const described = new Set(now.map(([server]) => server));
  for (const server of [...known.keys()].filter((each) => !described.has(each))) {
    known.delete(server);
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
    const reopened = now === known ? reopenChangedCaches(controlPlane, clusters, opened) : clusters.reopen();
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
    openCache: ({ server, scope }, connection) =>
      ClusterCache.open(
        {
          server,
          cluster: connection,
          scope,
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
  const opened = new Map(
    clusterStates({ clusters: controlPlane.clusters, secret: (name) => controlPlane.secret(name) }),
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
  const audit = new AuditTrail(options.audit, namespace);
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
    triage: openTriage(options.catalogue, () => world.clock.now().getTime()),
    events: new EventRecorder({ cluster, clock: world.clock, log, audit }),
    audit,
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
