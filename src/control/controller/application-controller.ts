import { DEFAULT_PROJECT_SPEC, projectOf, sourcesOf } from '../../model/argo/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, textAt } from '../../model/json/index.js';
import { keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { reportTo } from '../../model/logging/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import type { Settings } from '../../model/settings/index.js';
import { startLeaderElection, type LeaderElection, type Change } from '../../cluster/index.js';
import {
  reconcileApplication,
  type ReconcileContext,
  openReconcileContext,
  type ChangeHandler,
  type ReconcileContextOptions,
  type OpenReconcileContext,
  ReconcileMemory,
} from '../delivery/index.js';
import { type ObjectChange } from '../cache/index.js';
import { countReconcile, serverOf, registerApplicationMetrics, type Metrics } from '../telemetry/index.js';
import { CHANGE_ANNOTATION, NOTIFIED_ANNOTATION, Notifier, type DeliveryLog } from '../notify/index.js';
import { TopicSubscriptions, kindTopic, RepositoryWatcher, createWorkQueue, serverOfUrl } from '../queue/index.js';
import { ControlServices, ChangeFeed } from '../services/index.js';
import { findOtherController } from './other-controller.js';
import { OutdatedError } from '../operation/index.js';
import { Shards, type Shard } from './shards.js';
import { APPLICATIONS, APP_PROJECTS } from '../../model/resources/index.js';
import { workName } from '../../net/containment/index.js';
import { reportSetAside } from './report-set-aside.js';
import type { Lane, WorkQueue } from '../../model/queue/index.js';

export interface ApplicationControllerOptions extends ReconcileContextOptions {
  /** Of this process in the leader election; the same after a restart in the same data directory. */
  readonly identity: string;
  readonly isReadOnly: boolean;
  /** Deliver even if another controller seems to. */
  readonly takesOver: boolean;
  readonly shard: Shard;
  /** Called when this process becomes the leader, and when it no longer is. */
  readonly onLeadership?: (leads: boolean) => void;
  /** Called when settings may have changed. */
  readonly onSettings?: () => void;
  readonly openDeliveryLog: () => Promise<DeliveryLog>;
}

const OTHER_CONTROLLER_INTERVAL = 60_000;
/** Of the first shard; others append their number. */
const LEASE_NAME = 'argosy-application-controller';
const WORKERS = 16;
/** Milliseconds. Events of one application come in batches: a starting workload changes several times in a moment. */
const BATCH_DELAY = 20;
/** After this many in a row, conflicts are logged and retried with backoff. */
const MAX_CONFLICTS = 10;

/** The Application controller: reconciles every application when something that concerns it may have changed. */
export class ApplicationController {
  readonly #options: ApplicationControllerOptions;
  readonly #memories = new Map<string, ReconcileMemory>();
  /** Reconciles in a row, by application, that ended because someone else had written meanwhile. */
  readonly #conflicts = new Map<string, number>();
  /** Applications by their name in tracking labels and annotations. */
  readonly #instances = new Map<string, string>();
  /** Objects whose changes enqueue applications, whichever application they are tracked as. */
  readonly #topics = new TopicSubscriptions();
  readonly #queue: WorkQueue;
  #services: ControlServices | undefined;
  readonly #changes = new ChangeFeed();
  #context: OpenReconcileContext | undefined;
  #shards: Shards | undefined;
  #repositories: RepositoryWatcher | undefined;
  #campaign: LeaderElection | undefined;
  #notifier: Notifier | undefined;
  #otherController: string | undefined;
  #stopOtherControllerCheck: () => void = () => undefined;
  #reconciles = 0;
  #isClosing = false;
  #setAside: { close(): void } | undefined;

  private constructor(options: ApplicationControllerOptions) {
    this.#options = options;
    const { clock, random } = options.world;
    this.#queue = createWorkQueue({
      clock,
      random,
      workers: WORKERS,
      laneOf: (key) => this.#laneOf(key),
      reconcile: (key) => this.#reconcile(key),
      nameOf: (key) => {
        const [namespace = '', name = ''] = key.split('/');
        const object = this.#reconcileContext.controlPlane.application(namespace, name);
        return object && workName(APPLICATIONS, object);
      },
      report: (app, error) => {
        if (!this.#isClosing) options.log.warn('reconcile failed', { app, error });
      },
    });
  }

  static async start(options: ApplicationControllerOptions): Promise<ApplicationController> {
    const controller = new ApplicationController(options);
    controller.#context = await openReconcileContext(options, controller.#changeHandler());
    const { clusters, controlPlane } = controller.#context.context;
    controller.#shards = new Shards(options.shard, clusters, () => ({
      algorithm: controlPlane.settings.shardingAlgorithm,
      byApplication: controlPlane.settings.improvements.shardByApplication,
    }));
    await controller.#run(controller.#context.context);
    return controller;
  }

  get metrics(): Metrics {
    return this.#reconcileContext.metrics;
  }

  get settings(): Settings {
    return this.#reconcileContext.controlPlane.settings;
  }

  /** For the API and the CLI. */
  get services(): ControlServices {
    return (this.#services ??= new ControlServices(
      this.#reconcileContext,
      this.#changes,
      this.#options.world,
      this.#options,
    ));
  }

  /** Whether this process holds the lease, by the clock. */
  get isLeader(): boolean {
    return this.#campaign?.isLeader === true;
  }

  /** Whether it delivers now, or the reason why not. */
  get state(): { readonly isDelivering: boolean; readonly reason: string } {
    if (this.#options.isReadOnly) return { isDelivering: false, reason: 'started read-only' };
    if (this.#otherController !== undefined && !this.#options.takesOver)
      return { isDelivering: false, reason: this.#otherController };
    if (this.#campaign?.isLeader !== true)
      return { isDelivering: false, reason: `${this.#campaign?.holder ?? 'another process'} leads` };
    return { isDelivering: true, reason: '' };
  }

  /** `before`: what reconciles that are under way wait for, and must not. */
  async close(before: () => Promise<unknown>): Promise<void> {
    this.#isClosing = true;
    this.#stopOtherControllerCheck();
    this.#setAside?.close();
    await Promise.all([this.#queue.close(), before()]);
    await this.#notifier?.close();
    await this.#campaign?.stop();
    this.#repositories?.close();
    await this.#context?.close();
  }

  get #reconcileContext(): ReconcileContext {
    if (this.#context === undefined) throw new Error('the controller is not open yet');
    return this.#context.context;
  }

  #changeHandler(): ChangeHandler {
    return {
      onApplication: (change) => {
        if (this.#context !== undefined) {
          this.#logExistence(change);
          this.#onApplication(change);
        }
        this.#changes.applications.publish(change);
      },
      onSettings: () => {
        this.#changes.settings.publish(undefined);
        this.#enqueueAll('event', () => undefined);
        this.#releaseClusters();
        this.#options.onSettings?.();
      },
      onObject: (change) => {
        this.#onObject(change);
        this.#changes.objects.publish(change);
      },
      onKinds: () => {
        this.#enqueueAll('event', ({ cache }) => {
          cache.requestRender(this.#options.world.clock.steady());
        });
      },
      onRepositories: (application, repositories) => {
        const { namespace = '', name = '' } = application.metadata;
        this.#repositories?.watch(`${namespace}/${name}`, repositories, projectOf(application));
      },
      isReadOnly: () => !this.state.isDelivering,
    };
  }

  async #run({ controlPlane, renderer }: ReconcileContext): Promise<void> {
    const { cluster, world, namespace, log, identity, isReadOnly, shard } = this.#options;
    this.#repositories = new RepositoryWatcher(renderer.sources, (keys) => {
      this.#onRepository(keys);
    });
    this.#registerMetrics();
    this.#setAside = reportSetAside(this.#reconcileContext, this.#options);
    // Only the first shard sends notifications.
    this.#notifier = isReadOnly || shard.index > 0 ? undefined : await this.#openNotifier();
    for (const object of controlPlane.applications()) this.#onApplication({ type: 'added', object });
    await this.#checkOtherController();
    if (isReadOnly) this.#queue.open();
    else {
      this.#campaign = startLeaderElection(cluster, world, {
        namespace,
        name: shard.index === 0 ? LEASE_NAME : `${LEASE_NAME}-${shard.index}`,
        identity,
        onStartedLeading: () => {
          log.info(`started leading as ${identity}`);
          void this.#lead();
          this.#options.onLeadership?.(true);
        },
        onStoppedLeading: () => {
          this.#options.onLeadership?.(false);
          if (!this.#isClosing) log.warn('stopped leading: this process changes nothing until it leads again');
          this.#notifier?.deactivate();
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
      this.#options.log.warn('AppProject default cannot be created', { error });
    }
    if (this.state.isDelivering) this.#notifier?.activate();
    // Earlier reconciles could not write.
    this.#enqueueAll('event', () => undefined);
    this.#queue.open();
  }

  #openNotifier(): Promise<Notifier> {
    const { cluster, world, namespace, log, openDeliveryLog } = this.#options;
    const { controlPlane, metrics, events } = this.#reconcileContext;
    return Notifier.open({
      cluster,
      world,
      namespace,
      metrics,
      events,
      log,
      openDeliveryLog,
      url: () => controlPlane.settings.url,
      applications: () =>
        controlPlane.applications().filter(({ metadata }) => this.#isAllowed(metadata.namespace ?? '')),
      application: (where, name) => controlPlane.application(where, name),
      project: (name) => controlPlane.projectObject(name),
      recordWrite: (application) => {
        controlPlane.recordWrite(application);
      },
    });
  }

  /** As Argo CD does: applications use it by default. */
  async #ensureDefaultProject(): Promise<void> {
    const { cluster, namespace } = this.#options;
    if (this.state.reason !== '' && !this.state.isDelivering) return;
    const { controlPlane } = this.#reconcileContext;
    if (controlPlane.project('default') !== undefined) return;
    const found = await cluster.get(APP_PROJECTS, { namespace, name: 'default' });
    // Recorded at once: an application may need it before the watch reports it.
    controlPlane.recordProjectWrite(
      found ??
        (await cluster.create(APP_PROJECTS, {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'AppProject',
          metadata: { namespace, name: 'default' },
          spec: DEFAULT_PROJECT_SPEC,
        })),
    );
  }

  /** One project's server that hangs, for git or as a cluster, takes no worker that another project needs. */
  #laneOf(key: string): Lane {
    const [namespace = '', name = ''] = key.split('/');
    const application = this.#context?.context.controlPlane.application(namespace, name);
    if (application === undefined) return { owner: '', host: '' };
    const cluster = ['server', 'name'].map((field) => textAt(application, 'spec', 'destination', field));
    return {
      owner: projectOf(application),
      host: [...sourcesOf(application).map((source) => serverOfUrl(textAt(source, 'repoURL'))), ...cluster].join(' '),
    };
  }

  async #reconcile(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const object = this.#reconcileContext.controlPlane.application(namespace, name);
    if (object === undefined || !this.#isInShard(object)) {
      this.#release(key);
      return;
    }
    const { clock } = this.#reconcileContext;
    const memory = this.#memories.get(key) ?? new ReconcileMemory(clock.steady());
    this.#memories.set(key, memory);
    const begun = clock.steady();
    try {
      const { milliseconds } = await reconcileApplication(object, memory, this.#reconcileContext);
      this.#conflicts.delete(key);
      this.#topics.subscribe(key, memory.topics);
      // A change between the comparison and now may have been missed.
      if (memory.resubscribe()) this.#queue.addAfter(key, BATCH_DELAY, 'event');
      if (milliseconds !== undefined) this.#queue.addAfter(key, milliseconds, 'timer');
    } catch (error) {
      // Someone else wrote first: reconcile again at once.
      if (!(error instanceof OutdatedError)) throw error;
      const conflicts = (this.#conflicts.get(key) ?? 0) + 1;
      this.#conflicts.set(key, conflicts);
      if (conflicts > MAX_CONFLICTS) throw error;
      this.#queue.addAfter(key, BATCH_DELAY, 'event');
      return;
    } finally {
      this.#reconciles++;
      countReconcile(
        this.metrics,
        namespace,
        serverOf(this.#reconcileContext.clusters, isObject(object.spec) ? object.spec : {}),
        (clock.steady() - begun) / 1000,
      );
    }
  }

  #isInShard(application: KubeObject): boolean {
    return this.#isAllowed(application.metadata.namespace ?? '') && this.#shards?.owns(application) === true;
  }

  /** It is gone, or belongs to another shard. */
  #release(key: string): void {
    this.#memories.delete(key);
    this.#conflicts.delete(key);
    this.#repositories?.forget(key);
    this.#topics.subscribe(key, new Set());
  }

  /** Clusters that belong to another shard are not watched. */
  #releaseClusters(): void {
    for (const { known } of this.#context?.context.clusters.opened() ?? [])
      if (this.#shards?.needs(known) === false) void this.#reconcileContext.clusters.reopen(known.server);
  }

  /** Applications in other namespaces count only if the settings allow the namespace. */
  #isAllowed(namespace: string): boolean {
    return (
      namespace === this.#options.namespace ||
      this.#reconcileContext.controlPlane.settings.applicationNamespaces.some((pattern) =>
        matchesGlob(pattern, namespace),
      )
    );
  }

  #logExistence(change: Change): void {
    if (change.type === 'updated') return;
    const { namespace = '', name = '' } = (change.type === 'deleted' ? change.old : change.object).metadata;
    if (this.#isAllowed(namespace))
      this.#options.log.info(`Application ${change.type === 'added' ? 'created' : 'deleted'}`, {
        app: `${namespace}/${name}`,
      });
  }

  #onApplication(change: Change): void {
    const object = change.type === 'deleted' ? change.old : change.object;
    const { namespace = '', name = '' } = object.metadata;
    const key = `${namespace}/${name}`;
    if (change.type === 'deleted') {
      this.#notifier?.forget(object);
      this.#release(key);
      this.#reconcileContext.unchanged.delete(object.metadata.uid ?? '');
      this.#queue.forget(key);
      this.#enqueueDependents();
      return;
    }
    if (this.#isAllowed(namespace)) this.#notifier?.observe(object);
    this.#instances.set(namespace === this.#options.namespace ? name : `${namespace}_${name}`, key);
    if (change.type === 'updated' && !needsReconcile(change.old, object)) {
      this.#enqueueDependents();
      return;
    }
    // A commit from just before the Application was created counts: an earlier answer of the repository does not.
    if (change.type === 'added' && !this.#memories.has(key))
      this.#memories.set(key, new ReconcileMemory(this.#options.world.clock.steady()));
    this.#queue.add(key, change.type === 'updated' ? 'user' : 'event');
  }

  /** Applications that depend on others are reconciled when those change. */
  #enqueueDependents(): void {
    for (const object of this.#reconcileContext.controlPlane.applications()) {
      if (object.metadata.annotations?.['argosy.dev/depends-on'] === undefined) continue;
      this.#queue.addAfter(`${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`, BATCH_DELAY, 'event');
    }
  }

  #onObject({ key, owners, writer }: ObjectChange): void {
    const name = keyText(key);
    for (const owner of owners) {
      const application = this.#instances.get(owner);
      if (application !== undefined && owner !== writer) this.#queue.addAfter(application, BATCH_DELAY, 'event');
    }
    // Of some kinds every object counts: the name of a Build is not known before it starts.
    for (const application of new Set([
      ...this.#topics.subscribers(name),
      ...this.#topics.subscribers(kindTopic(key)),
    ])) {
      if (writer === undefined || this.#instances.get(writer) !== application)
        this.#queue.addAfter(application, BATCH_DELAY, 'event');
    }
  }

  #onRepository(keys: readonly string[]): void {
    for (const key of keys) {
      this.#memories.get(key)?.cache.markStale(this.#options.world.clock.steady());
      this.#queue.add(key, 'event');
    }
  }

  #enqueueAll(priority: 'event' | 'timer', prepare: (memory: ReconcileMemory) => void): void {
    if (this.#context === undefined) return;
    for (const { metadata } of this.#reconcileContext.controlPlane.applications()) {
      const key = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
      const memory = this.#memories.get(key);
      if (memory !== undefined) prepare(memory);
      this.#queue.add(key, priority);
    }
  }

  async #checkOtherController(): Promise<void> {
    const { cluster, namespace, world, log, takesOver } = this.#options;
    const before = this.#otherController;
    this.#otherController = await findOtherController(
      cluster,
      namespace,
      this.#reconcileContext.controlPlane.applications(),
      world.clock.now(),
      this.#reconcileContext.controlPlane.settings.reconciliation.period,
      reportTo(log),
    );
    if (this.#otherController !== before && this.#otherController !== undefined && !takesOver)
      log.warn(`read-only: ${this.#otherController}. Stop it, or start with --take-over`);
    if (this.#otherController !== undefined && !takesOver) this.#notifier?.deactivate();
    // From here on as after becoming the leader.
    if (before !== undefined && this.#otherController === undefined && this.#campaign?.isLeader === true)
      await this.#lead();
    this.#stopOtherControllerCheck = world.clock.after(OTHER_CONTROLLER_INTERVAL, () => {
      void this.#checkOtherController();
    });
  }

  #registerMetrics(): void {
    const { controlPlane, clusters, comparer, metrics } = this.#reconcileContext;
    registerApplicationMetrics(
      metrics,
      () => controlPlane.applications().filter((application) => this.#isInShard(application)),
      clusters,
    );
    metrics.read('argosy_dry_runs_total', 'counter', 'Dry runs that confirm a difference.', () => [
      [{}, comparer.dryRuns] as const,
    ]);
    metrics.read('argosy_queue_length', 'gauge', 'Applications that are queued or being reconciled.', () => [
      [{}, this.#queue.size] as const,
    ]);
    metrics.read('argosy_passes_total', 'counter', 'Reconciles of applications since the start.', () => [
      [{}, this.#reconciles] as const,
    ]);
  }
}

/** A new status alone needs no reconcile; spec, metadata, an operation or its end do. */
function needsReconcile(old: KubeObject, now: KubeObject): boolean {
  const essence = ({ spec, operation, metadata, status }: KubeObject): string =>
    JSON.stringify([
      spec,
      operation ?? null,
      withoutNotificationAnnotations(metadata.annotations ?? {}),
      metadata.labels ?? {},
      metadata.finalizers ?? [],
      metadata.deletionTimestamp ?? '',
      phaseOf(status),
    ]);
  return old.metadata.uid !== now.metadata.uid || essence(old) !== essence(now);
}

/** The notifier's own annotations need no reconcile. */
function withoutNotificationAnnotations({
  [NOTIFIED_ANNOTATION]: _notified,
  [CHANGE_ANNOTATION]: _change,
  ...rest
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return rest;
}

function phaseOf(status: unknown): string {
  const state =
    typeof status === 'object' && status !== null && 'operationState' in status ? status.operationState : undefined;
  return typeof state === 'object' && state !== null && 'phase' in state && typeof state.phase === 'string'
    ? state.phase
    : '';
}
