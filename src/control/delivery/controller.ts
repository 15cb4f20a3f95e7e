import { createAssessor, type Assessor, type Catalogue } from '../../health/index.js';
import { DEFAULT_PROJECT_SPEC, Fault, isExcluded, keyText, type KubeObject } from '../../model/index.js';
import { campaign, type Campaign, type Change, type Cluster, type World } from '../../cluster/index.js';
import type { Sources } from '../../source/index.js';
import type { Workshop } from '../make-manifests.js';
import { deliver } from './application.js';
import { ClusterView, type KeyChange } from './cluster-view.js';
import { Clusters } from './clusters.js';
import { Comparer } from './comparer.js';
import type { Desk } from './desk.js';
import { EventTeller } from './event-teller.js';
import { Home, PROJECTS } from './home.js';
import { Interests } from './interests.js';
import { Metrics } from './metrics.js';
import { findOtherController } from './other-controller.js';
import { ApplicationRecord } from './record.js';
import { RepositoryWatch } from './repository-watch.js';
import { Outdated } from './run-steps.js';
import { ownerOf, trackingOf } from './tracking.js';
import { WorkQueue } from './work-queue.js';

export interface ControllerOptions {
  readonly cluster: Cluster;
  readonly world: World;
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly catalogue: Catalogue;
  /** Opened with what opens each repository. */
  readonly openWorkshop: (accessTo: NonNullable<Parameters<typeof import('../../source/index.js').openSources>[0]['accessTo']>) => Promise<Workshop & { readonly sources: Sources }>;
  /** To the cluster that a Secret describes. */
  readonly connect: (secret: KubeObject) => Cluster;
  /** Different for every process that may run at the same time. */
  readonly identity: string;
  readonly isReadOnly: boolean;
  /** Deliver although another controller seems to do so. */
  readonly takesOver: boolean;
  readonly signatureObjection: Desk['signatureObjection'];
  readonly log: (line: string) => void;
}

/** Milliseconds that a cluster has for its first answers; kinds that need longer come in later. */
const OPEN_WITHIN = 20_000;
const LOOK_FOR_OTHERS = 60_000;
const WORKERS = 16;
/** News of several objects of one application come together. */
const BATCH = 5;

/** The Application controller: looks at every application whenever something about it may have changed. */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #records = new Map<string, ApplicationRecord>();
  /** Applications by the name that their objects carry. */
  readonly #instances = new Map<string, string>();
  /** Objects that applications want to hear of, whoever they say they belong to. */
  readonly #wanting = new Interests();
  readonly #metrics = new Metrics();
  readonly #queue: WorkQueue;
  readonly #comparer = new Comparer();
  #home: Home | undefined;
  #desk: Desk | undefined;
  #repositories: RepositoryWatch | undefined;
  #campaign: Campaign | undefined;
  #assessor: Assessor | undefined;
  #other: string | undefined;
  #stopLooking: () => void = () => undefined;
  #passes = 0;

  private constructor(options: ControllerOptions) {
    this.#options = options;
    const { clock, random } = options.world;
    this.#queue = new WorkQueue({ clock, random, workers: WORKERS, work: (key) => this.#pass(key), report: options.log });
  }

  static async start(options: ControllerOptions): Promise<Controller> {
    const controller = new Controller(options);
    await controller.#open();
    return controller;
  }

  get metrics(): Metrics {
    return this.#metrics;
  }

  /** Whether it delivers now, and if not, why. */
  get state(): { readonly isDelivering: boolean; readonly reason: string } {
    if (this.#options.isReadOnly) return { isDelivering: false, reason: 'started read-only' };
    if (this.#other !== undefined && !this.#options.takesOver) return { isDelivering: false, reason: this.#other };
    if (this.#campaign?.isLeader !== true) return { isDelivering: false, reason: `${this.#campaign?.holder ?? 'another process'} leads` };
    return { isDelivering: true, reason: '' };
  }

  async close(): Promise<void> {
    this.#stopLooking();
    await this.#queue.close();
    await this.#campaign?.stop();
    this.#repositories?.close();
    await this.#desk?.clusters.close();
    this.#home?.close();
    await this.#desk?.workshop.sources.close();
  }

  async #open(): Promise<void> {
    const { cluster, world, namespace, profile, environment, log } = this.#options;
    const home = await Home.open({ cluster, world, namespace, profile, environment, onApplication: (change) => { this.#onApplication(change); }, onSettings: () => { this.#onSettings(); } });
    this.#home = home;
    const workshop = await this.#options.openWorkshop((url, project) => home.repositories.access(url, project));
    this.#repositories = new RepositoryWatch(workshop.sources, (keys) => { this.#onRepository(keys); });
    this.#desk = this.#makeDesk(home, workshop);
    this.#tellMetrics(home);
    for (const object of home.applications()) this.#onApplication({ type: 'added', object });
    await this.#lookForOthers();
    if (this.#options.isReadOnly) this.#queue.open();
    else {
      this.#campaign = campaign(cluster, world, {
        namespace, name: 'argosy-application-controller', identity: this.#options.identity,
        onLead: () => { void this.#lead(); },
        onLose: () => {
          log('another process leads now: this one waits');
          void this.#queue.pause();
        },
      });
    }
  }

  async #lead(): Promise<void> {
    try {
      await this.#ensureDefaultProject();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#options.log(`the project "default" cannot be made: ${error.message}`);
    }
    this.#queue.open();
  }

  /** As Argo CD does: without this project no application could be written without thinking about projects first. */
  async #ensureDefaultProject(): Promise<void> {
    const { cluster, namespace } = this.#options;
    if (this.state.reason !== '' && !this.state.isDelivering) return;
    if (this.#home?.project('default') !== undefined || await cluster.get(PROJECTS, { namespace, name: 'default' }) !== undefined) return;
    await cluster.create(PROJECTS, { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { namespace, name: 'default' }, spec: DEFAULT_PROJECT_SPEC });
  }

  #makeDesk(home: Home, workshop: Workshop): Desk {
    const { cluster, namespace, world, signatureObjection, log } = this.#options;
    const clusters = new Clusters({
      home: cluster, isHomeAllowed: () => home.settings.isInClusterEnabled, records: () => home.clusters, connect: (record) => this.#options.connect(home.secret(record.secret)),
      openView: (server, connection) => this.#openView(server, connection, home),
    });
    return {
      cluster, controlNamespace: namespace, home, clusters, workshop, comparer: this.#comparer, clock: world.clock, metrics: this.#metrics, signatureObjection, report: log,
      assessor: () => (this.#assessor ??= createAssessor({ catalogue: this.#options.catalogue, overrides: home.overrides, now: () => world.clock.now().getTime(), elapsed: () => world.clock.steady() })),
      events: new EventTeller({ cluster, clock: world.clock, report: log }),
      isReadOnly: () => !this.state.isDelivering,
    };
  }

  #openView(server: string, cluster: Cluster, home: Home): Promise<ClusterView> {
    return ClusterView.open({
      server, cluster, world: this.#options.world,
      isExcluded: (kind) => isExcluded(home.settings.resourceFilter, kind, server),
      ownerOf: (object) => ownerOf(object, trackingOf(home.settings)),
      onChange: (change) => { this.#onObject(change); },
      onKinds: () => { this.#everybody('news', (record) => { record.staleSince ??= this.#options.world.clock.steady(); }); },
    }, OPEN_WITHIN);
  }

  async #pass(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const object = this.#home?.application(namespace, name);
    if (object === undefined || this.#desk === undefined || this.#home === undefined) return;
    const record = this.#records.get(key) ?? new ApplicationRecord();
    this.#records.set(key, record);
    try {
      const { afterMilliseconds } = await deliver(object, record, this.#desk);
      this.#repositories?.want(key, record.repositories);
      this.#wanting.want(key, record.wanted);
      if (afterMilliseconds !== undefined) this.#queue.addAfter(key, afterMilliseconds, 'timer');
    } catch (error) {
      // Somebody was quicker: the truth is read again at once.
      if (!(error instanceof Outdated)) throw error;
      this.#queue.addAfter(key, BATCH, 'news');
    } finally {
      this.#passes++;
      this.#metrics.count('argocd_app_reconcile_count', 'Application reconciliation passes.', { namespace, dest_server: '' });
    }
  }

  #onApplication(change: Change): void {
    const object = change.type === 'deleted' ? change.old : change.object;
    const { namespace = '', name = '' } = object.metadata;
    const key = `${namespace}/${name}`;
    if (change.type === 'deleted') {
      this.#records.delete(key);
      this.#repositories?.want(key, new Set());
      this.#wanting.want(key, new Set());
      this.#queue.forget(key);
      this.#wakeDependents();
      return;
    }
    this.#instances.set(namespace === this.#options.namespace ? name : `${namespace}_${name}`, key);
    if (change.type === 'updated' && !isWorthALook(change.old, object)) {
      this.#wakeDependents();
      return;
    }
    this.#queue.add(key, change.type === 'updated' ? 'people' : 'news');
  }

  /** Applications that wait for others look again when those changed. */
  #wakeDependents(): void {
    for (const object of this.#home?.applications() ?? []) {
      if (object.metadata.annotations?.['argosy.dev/depends-on'] === undefined) continue;
      this.#queue.addAfter(`${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`, BATCH, 'news');
    }
  }

  #onObject({ key, owners, by }: KeyChange): void {
    const name = keyText(key);
    for (const owner of owners) {
      const application = this.#instances.get(owner);
      if (application !== undefined && owner !== by) this.#queue.addAfter(application, BATCH, 'news');
    }
    for (const application of this.#wanting.listeners(name)) {
      if (by === undefined || this.#instances.get(by) !== application) this.#queue.addAfter(application, BATCH, 'news');
    }
  }

  #onSettings(): void {
    this.#assessor = undefined;
    this.#desk?.clusters.forget();
    this.#everybody('news', (record) => { record.rules = undefined; });
  }

  #onRepository(keys: readonly string[]): void {
    for (const key of keys) {
      const record = this.#records.get(key);
      if (record !== undefined) record.staleSince = this.#options.world.clock.steady();
      this.#queue.add(key, 'news');
    }
  }

  #everybody(priority: 'news' | 'timer', prepare: (record: ApplicationRecord) => void): void {
    for (const { metadata } of this.#home?.applications() ?? []) {
      const key = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
      const record = this.#records.get(key);
      if (record !== undefined) prepare(record);
      this.#queue.add(key, priority);
    }
  }

  async #lookForOthers(): Promise<void> {
    const { cluster, namespace, world, log, takesOver } = this.#options;
    const before = this.#other;
    this.#other = await findOtherController(cluster, namespace, this.#home?.applications() ?? [], world.clock.now(), this.#home?.settings.reconciliation.period ?? 0, log);
    if (this.#other !== before && this.#other !== undefined && !takesOver) log(`read-only: ${this.#other}. Stop it, or start with --take-over`);
    if (before !== undefined && this.#other === undefined) this.#everybody('news', () => undefined);
    this.#stopLooking = world.clock.after(LOOK_FOR_OTHERS, () => { void this.#lookForOthers(); });
  }

  #tellMetrics(home: Home): void {
    this.#metrics.gauge('argocd_app_info', 'Information about application.', () => home.applications().map((object) => [infoOf(object), 1] as const));
    this.#metrics.gauge('argosy_dry_runs_total', 'Questions to servers whether a difference is real.', () => [[{}, this.#comparer.asked] as const]);
    this.#metrics.gauge('argosy_queue_length', 'Applications that wait for a pass.', () => [[{}, this.#queue.size] as const]);
    this.#metrics.gauge('argosy_passes_total', 'Passes over applications since the start.', () => [[{}, this.#passes] as const]);
  }
}

function infoOf({ metadata, spec, status }: KubeObject): Record<string, string> {
  const read = (object: unknown, ...path: string[]): string => {
    let value = object;
    for (const name of path) value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    namespace: metadata.namespace ?? '', name: metadata.name ?? '', project: read(spec, 'project'), repo: read(spec, 'source', 'repoURL'),
    dest_server: read(spec, 'destination', 'server'), dest_namespace: read(spec, 'destination', 'namespace'),
    sync_status: read(status, 'sync', 'status') || 'Unknown', health_status: read(status, 'health', 'status') || 'Unknown', operation: read(status, 'operationState', 'phase'),
  };
}

/** Our own status is no news; a spec, an annotation, an operation or its end are. */
function isWorthALook(old: KubeObject, now: KubeObject): boolean {
  const essence = ({ spec, operation, metadata, status }: KubeObject): string => JSON.stringify([
    spec, operation ?? null, metadata.annotations ?? {}, metadata.labels ?? {}, metadata.finalizers ?? [], metadata.deletionTimestamp ?? '', phaseOf(status),
  ]);
  return old.metadata.uid !== now.metadata.uid || essence(old) !== essence(now);
}

function phaseOf(status: unknown): string {
  const state = typeof status === 'object' && status !== null && 'operationState' in status ? status.operationState : undefined;
  return typeof state === 'object' && state !== null && 'phase' in state && typeof state.phase === 'string' ? state.phase : '';
}
