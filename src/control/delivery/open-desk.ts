import { createAssessor, type Assessor, type Catalogue } from '../../health/index.js';
import { isExcluded, type KubeObject } from '../../model/index.js';
import type { Change, Cluster, World } from '../../cluster/index.js';
import type { SourcesOptions } from '../../source/index.js';
import type { Workshop } from '../make-manifests.js';
import { ClusterView, type KeyChange } from './cluster-view.js';
import { Clusters } from './clusters.js';
import { Comparer } from './comparer.js';
import { countGitRequest } from './delivery-metrics.js';
import type { Desk } from './desk.js';
import { EventTeller } from './event-teller.js';
import { Home } from './home.js';
import { Metrics } from './metrics.js';
import { SettledBook } from './settled-book.js';
import { ownerOf, trackingOf } from './tracking.js';

export interface DeskOptions {
  readonly cluster: Cluster;
  readonly world: World;
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly catalogue: Catalogue;
  /** Opened with what opens each repository, and how often it is asked. */
  readonly openWorkshop: (
    repositories: Required<Pick<SourcesOptions, 'accessTo' | 'poll' | 'onGitRequest'>>,
  ) => Promise<Workshop>;
  /** To the cluster that a Secret describes. */
  readonly connect: (secret: KubeObject) => Cluster;
  readonly log: (line: string) => void;
  /** What was settled before; nothing where only one look is made. */
  readonly openSettled?: () => Promise<SettledBook>;
}

/** Who wants to hear what. */
export interface DeskListener {
  onApplication(change: Change): void;
  /** A project, a setting, a repository or a cluster changed. */
  onSettings(): void;
  onObject(change: KeyChange): void;
  /** What a cluster serves changed. */
  onKinds(): void;
  /** An application comes from these repositories. */
  onRepositories(application: KubeObject, repositories: ReadonlySet<string>): void;
  isReadOnly(): boolean;
}

export interface OpenDesk {
  readonly desk: Desk;
  close(): Promise<void>;
}

/** Of the Secret of a cluster: what is known of it is to be read again. */
export const REFRESH = 'argocd.argoproj.io/refresh';

function viewSettings({ settings }: Home): string {
  return JSON.stringify([trackingOf(settings), settings.resourceFilter]);
}

/** When somebody last asked for a new look at a cluster, by server: Argo CD writes it to the Secret of the cluster. */
function refreshes({ clusters, secret }: Pick<Home, 'clusters' | 'secret'>): [string, string][] {
  return clusters.map((record) => [record.server, secret(record.secret).metadata.annotations?.[REFRESH] ?? '']);
}

async function reopenRefreshed(home: Home, clusters: Clusters, known: Map<string, string>): Promise<void> {
  const news = refreshes({ clusters: home.clusters, secret: (name) => home.secret(name) }).filter(
    ([server, at]) => at !== '' && at !== known.get(server),
  );
  for (const [server, at] of news) {
    known.set(server, at);
    await clusters.reopen(server);
  }
}

/** Milliseconds that a cluster has for its first answers; kinds that need longer come in later. */
const OPEN_WITHIN = 20_000;

/** Opens everything that a look at an application needs. Clusters are opened when the first application needs them. */
export async function openDesk(options: DeskOptions, listener: DeskListener): Promise<OpenDesk> {
  const { cluster, world, namespace, profile, environment, log, connect } = options;
  let assessor: Assessor | undefined;
  const forget = (): void => {
    assessor = undefined;
    clusters.forget();
    const now = viewSettings(home);
    // What is tracked and what is watched was decided when the views were opened.
    const reopened = now === known ? reopenRefreshed(home, clusters, refreshed) : clusters.reopen();
    known = now;
    complain();
    void reopened.then(() => {
      listener.onSettings();
    });
  };
  const home = await Home.open({
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
    home: cluster,
    isHomeAllowed: () => home.settings.isInClusterEnabled,
    records: () => home.clusters,
    connect: (record) => connect(home.secret(record.secret)),
    openView: (server, connection) =>
      ClusterView.open(
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
        OPEN_WITHIN,
      ),
  });
  let known = viewSettings(home);
  const refreshed = new Map(refreshes({ clusters: home.clusters, secret: (name) => home.secret(name) }));
  const told = new Set<string>();
  const complain = (): void => {
    const problems = [
      ...home.problems.map((problem) => `a setting is not used: ${problem}`),
      ...home.clusterProblems.map((problem) => `a cluster is not used: ${problem}`),
    ];
    for (const problem of problems) if (!told.has(problem)) log(problem);
    told.clear();
    for (const problem of problems) told.add(problem);
  };
  complain();
  const metrics = new Metrics();
  const workshop = await options.openWorkshop({
    accessTo: (url, project) => home.repositories.access(url, project),
    poll: () => ({ milliseconds: home.settings.reconciliation.period, jitter: home.settings.reconciliation.jitter }),
    onGitRequest: (url, type, milliseconds) => {
      countGitRequest(metrics, url, type, milliseconds / 1000);
    },
  });
  const desk: Desk = {
    cluster,
    controlNamespace: namespace,
    home,
    clusters,
    connect,
    workshop,
    comparer: new Comparer(),
    clock: world.clock,
    metrics,
    report: log,
    assessor: () =>
      (assessor ??= createAssessor({
        catalogue: options.catalogue,
        overrides: home.overrides,
        now: () => world.clock.now().getTime(),
        elapsed: () => world.clock.steady(),
      })),
    events: new EventTeller({ cluster, clock: world.clock, report: log }),
    isReadOnly: () => listener.isReadOnly(),
    follow: (application, repositories) => {
      listener.onRepositories(application, repositories);
    },
    settled: (await options.openSettled?.()) ?? new SettledBook(),
  };
  return {
    desk,
    close: async () => {
      await clusters.close();
      home.close();
      await workshop.sources.close();
      await desk.settled.close();
    },
  };
}
