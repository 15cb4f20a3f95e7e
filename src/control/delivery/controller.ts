import {
  DEFAULT_PROJECT_SPEC,
  Fault,
  isObject,
  keyText,
  matchesGlob,
  type KubeObject,
  type Settings,
} from '../../model/index.js';
import { campaign, type Campaign, type Change } from '../../cluster/index.js';
import { deliver } from './application.js';
import type { KeyChange } from './cluster-view.js';
import { countPass, serverOf, showFleet } from './delivery-metrics.js';
import type { Desk } from './desk.js';
import { PROJECTS } from './home.js';
import { CHANGE } from '../notify/change.js';
import { NOTIFIED } from '../notify/notified-state.js';
import { Notifier } from '../notify/notifier.js';
import type { Receipts } from '../notify/receipts.js';
import { Interests, kindTopic } from './interests.js';
import type { Metrics } from './metrics.js';
import { FrontDesk } from '../front/front-desk.js';
import { News } from '../front/news.js';
import { openDesk, type DeskListener, type DeskOptions, type OpenDesk } from './open-desk.js';
import { findOtherController } from './other-controller.js';
import { ApplicationRecord } from './record.js';
import { RepositoryWatch } from './repository-watch.js';
import { Outdated } from './run-steps.js';
import { Shards, type Shard } from './shards.js';
import { WorkQueue } from './work-queue.js';

export interface ControllerOptions extends DeskOptions {
  /** Of this process among all that may lead; the same after a restart in the same data directory. */
  readonly identity: string;
  readonly isReadOnly: boolean;
  /** Deliver although another controller seems to do so. */
  readonly takesOver: boolean;
  readonly shard: Shard;
  /** Told when this process begins to lead, and when it does not any more: others work only while it does. */
  readonly onTurn?: (leads: boolean) => void;
  /** Told when settings may be others. */
  readonly onSettings?: () => void;
  readonly openReceipts: () => Promise<Receipts>;
}

const LOOK_FOR_OTHERS = 60_000;
/** Of the first shard; others have their number behind it. */
const LEASE = 'argosy-application-controller';
const WORKERS = 16;
/**
 * News of several objects of one application come together: a workload that starts changes several times in a moment.
 */
const BATCH = 20;
/** So many times in a row is no coincidence: it is told, and tried more slowly. */
const MOST_OUTDATED = 10;

/** The Application controller: looks at every application whenever something about it may have changed. */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #records = new Map<string, ApplicationRecord>();
  /** Applications by the name that their objects carry. */
  readonly #instances = new Map<string, string>();
  /** Objects that applications want to hear of, whoever they say they belong to. */
  readonly #wanting = new Interests();
  readonly #queue: WorkQueue;
  readonly #news = new News();
  #open: OpenDesk | undefined;
  #shards: Shards | undefined;
  #repositories: RepositoryWatch | undefined;
  #campaign: Campaign | undefined;
  #notifier: Notifier | undefined;
  #other: string | undefined;
  #stopLooking: () => void = () => undefined;
  #passes = 0;
  #isClosing = false;

  private constructor(options: ControllerOptions) {
    this.#options = options;
    const { clock, random } = options.world;
    this.#queue = new WorkQueue({
      clock,
      random,
      workers: WORKERS,
      work: (key) => this.#pass(key),
      report: options.log,
    });
  }

  static async start(options: ControllerOptions): Promise<Controller> {
    const controller = new Controller(options);
    controller.#open = await openDesk(options, controller.#listener());
    const { clusters, home } = controller.#open.desk;
    controller.#shards = new Shards(options.shard, clusters, () => ({
      algorithm: home.settings.shardingAlgorithm,
      byApplication: home.settings.improvements.shardByApplication,
    }));
    await controller.#begin(controller.#open.desk);
    return controller;
  }

  get metrics(): Metrics {
    return this.#desk.metrics;
  }

  get settings(): Settings {
    return this.#desk.home.settings;
  }

  /** What this controller knows, for people who ask. */
  get front(): FrontDesk {
    return new FrontDesk(this.#desk, this.#news, this.#options.world, this.#options.catalogue);
  }

  /** Whether this process leads, by the clock. */
  get isLeader(): boolean {
    return this.#campaign?.isLeader === true;
  }

  /** Whether it delivers now, and if not, why. */
  get state(): { readonly isDelivering: boolean; readonly reason: string } {
    if (this.#options.isReadOnly) return { isDelivering: false, reason: 'started read-only' };
    if (this.#other !== undefined && !this.#options.takesOver) return { isDelivering: false, reason: this.#other };
    if (this.#campaign?.isLeader !== true)
      return { isDelivering: false, reason: `${this.#campaign?.holder ?? 'another process'} leads` };
    return { isDelivering: true, reason: '' };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopLooking();
    await this.#queue.close();
    await this.#notifier?.close();
    await this.#campaign?.stop();
    this.#repositories?.close();
    await this.#open?.close();
  }

  get #desk(): Desk {
    if (this.#open === undefined) throw new Error('the controller is not open yet');
    return this.#open.desk;
  }

  #listener(): DeskListener {
    return {
      onApplication: (change) => {
        if (this.#open !== undefined) this.#onApplication(change);
        this.#news.applications.tell(change);
      },
      onSettings: () => {
        this.#news.settings.tell(undefined);
        this.#everybody('news', (record) => {
          record.rules = undefined;
        });
        this.#leaveClusters();
        this.#options.onSettings?.();
      },
      onObject: (change) => {
        this.#onObject(change);
        this.#news.objects.tell(change);
      },
      onKinds: () => {
        this.#everybody('news', (record) => {
          record.staleSince ??= this.#options.world.clock.steady();
        });
      },
      onRepositories: ({ metadata }, repositories) => {
        this.#repositories?.want(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`, repositories);
      },
      isReadOnly: () => !this.state.isDelivering,
    };
  }

  async #begin({ home, workshop }: Desk): Promise<void> {
    const { cluster, world, namespace, log, identity, isReadOnly, shard } = this.#options;
    this.#repositories = new RepositoryWatch(workshop.sources, (keys) => {
      this.#onRepository(keys);
    });
    this.#tellMetrics();
    // One process tells people, and does what is no application's own: the first.
    this.#notifier = isReadOnly || shard.index > 0 ? undefined : await this.#openNotifier();
    for (const object of home.applications()) this.#onApplication({ type: 'added', object });
    await this.#lookForOthers();
    if (isReadOnly) this.#queue.open();
    else {
      this.#campaign = campaign(cluster, world, {
        namespace,
        name: shard.index === 0 ? LEASE : `${LEASE}-${shard.index}`,
        identity,
        onLead: () => {
          void this.#lead();
          this.#options.onTurn?.(true);
        },
        onLose: () => {
          this.#options.onTurn?.(false);
          if (!this.#isClosing) log('this process does not lead any more: it changes nothing until it leads again');
          this.#notifier?.rest();
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
    if (this.state.isDelivering) this.#notifier?.lead();
    // What was looked at meanwhile could not be written.
    this.#everybody('news', () => undefined);
    this.#queue.open();
  }

  #openNotifier(): Promise<Notifier> {
    const { cluster, world, namespace, log, openReceipts } = this.#options;
    const { home, metrics, events } = this.#desk;
    return Notifier.open({
      cluster,
      world,
      namespace,
      metrics,
      events,
      log,
      openReceipts,
      url: () => home.settings.url,
      applications: () => home.applications().filter(({ metadata }) => this.#isAllowed(metadata.namespace ?? '')),
      application: (where, name) => home.application(where, name),
      project: (name) => home.projectObject(name),
      learn: (application) => {
        home.learn(application);
      },
    });
  }

  /** As Argo CD does: without this project no application could be written without thinking about projects first. */
  async #ensureDefaultProject(): Promise<void> {
    const { cluster, namespace } = this.#options;
    if (this.state.reason !== '' && !this.state.isDelivering) return;
    const { home } = this.#desk;
    if (home.project('default') !== undefined) return;
    const found = await cluster.get(PROJECTS, { namespace, name: 'default' });
    // An application that is made at once must find it, whenever the news of it comes.
    home.learnProject(
      found ??
        (await cluster.create(PROJECTS, {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'AppProject',
          metadata: { namespace, name: 'default' },
          spec: DEFAULT_PROJECT_SPEC,
        })),
    );
  }

  async #pass(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const object = this.#desk.home.application(namespace, name);
    if (object === undefined || !this.#isOurs(object)) {
      this.#leave(key);
      return;
    }
    const record = this.#records.get(key) ?? newRecord(this.#desk.clock.steady());
    this.#records.set(key, record);
    const { clock } = this.#desk;
    const begun = clock.steady();
    try {
      const { afterMilliseconds } = await deliver(object, record, this.#desk);
      record.outdated = 0;
      this.#wanting.want(key, record.topics);
      // What happened between the look and now was told to nobody.
      if (record.listenAnew()) this.#queue.addAfter(key, BATCH, 'news');
      if (afterMilliseconds !== undefined) this.#queue.addAfter(key, afterMilliseconds, 'timer');
    } catch (error) {
      // Somebody was quicker: the truth is read again at once.
      if (!(error instanceof Outdated)) throw error;
      if (++record.outdated > MOST_OUTDATED) throw error;
      this.#queue.addAfter(key, BATCH, 'news');
      return;
    } finally {
      this.#passes++;
      countPass(
        this.metrics,
        namespace,
        serverOf(this.#desk.clusters, isObject(object.spec) ? object.spec : {}),
        (clock.steady() - begun) / 1000,
      );
    }
  }

  #isOurs(application: KubeObject): boolean {
    return this.#isAllowed(application.metadata.namespace ?? '') && this.#shards?.owns(application) === true;
  }

  /** Another process looks after it, or it is gone: what is known of it here will be of no use. */
  #leave(key: string): void {
    this.#records.delete(key);
    this.#repositories?.want(key, new Set());
    this.#wanting.want(key, new Set());
  }

  /** Clusters that are somebody else's now are not followed any more. */
  #leaveClusters(): void {
    for (const { known } of this.#open?.desk.clusters.open() ?? [])
      if (this.#shards?.needs(known) === false) void this.#desk.clusters.reopen(known.server);
  }

  /** Applications elsewhere count only where the administrator allowed their namespace. */
  #isAllowed(namespace: string): boolean {
    return (
      namespace === this.#options.namespace ||
      this.#desk.home.settings.applicationNamespaces.some((pattern) => matchesGlob(pattern, namespace))
    );
  }

  #onApplication(change: Change): void {
    const object = change.type === 'deleted' ? change.old : change.object;
    const { namespace = '', name = '' } = object.metadata;
    const key = `${namespace}/${name}`;
    if (change.type === 'deleted') {
      this.#notifier?.forget(object);
      this.#leave(key);
      this.#desk.settled.drop(object.metadata.uid ?? '');
      this.#queue.forget(key);
      this.#wakeDependents();
      return;
    }
    if (this.#isAllowed(namespace)) this.#notifier?.see(object);
    this.#instances.set(namespace === this.#options.namespace ? name : `${namespace}_${name}`, key);
    if (change.type === 'updated' && !isWorthALook(change.old, object)) {
      this.#wakeDependents();
      return;
    }
    // What was pushed just before an application was made belongs to it: what the repository said earlier does not
    // count.
    if (change.type === 'added' && !this.#records.has(key))
      this.#records.set(key, newRecord(this.#options.world.clock.steady()));
    this.#queue.add(key, change.type === 'updated' ? 'people' : 'news');
  }

  /** Applications that wait for others look again when those changed. */
  #wakeDependents(): void {
    for (const object of this.#desk.home.applications()) {
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
    // Of some kinds any object is news: a build has no name before it begins.
    for (const application of new Set([...this.#wanting.listeners(name), ...this.#wanting.listeners(kindTopic(key))])) {
      if (by === undefined || this.#instances.get(by) !== application) this.#queue.addAfter(application, BATCH, 'news');
    }
  }

  #onRepository(keys: readonly string[]): void {
    for (const key of keys) {
      const record = this.#records.get(key);
      if (record !== undefined) record.staleSince = this.#options.world.clock.steady();
      this.#queue.add(key, 'news');
    }
  }

  #everybody(priority: 'news' | 'timer', prepare: (record: ApplicationRecord) => void): void {
    if (this.#open === undefined) return;
    for (const { metadata } of this.#desk.home.applications()) {
      const key = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
      const record = this.#records.get(key);
      if (record !== undefined) prepare(record);
      this.#queue.add(key, priority);
    }
  }

  async #lookForOthers(): Promise<void> {
    const { cluster, namespace, world, log, takesOver } = this.#options;
    const before = this.#other;
    this.#other = await findOtherController(
      cluster,
      namespace,
      this.#desk.home.applications(),
      world.clock.now(),
      this.#desk.home.settings.reconciliation.period,
      log,
    );
    if (this.#other !== before && this.#other !== undefined && !takesOver)
      log(`read-only: ${this.#other}. Stop it, or start with --take-over`);
    if (this.#other !== undefined && !takesOver) this.#notifier?.rest();
    // From here on it is as if we began to lead now.
    if (before !== undefined && this.#other === undefined && this.#campaign?.isLeader === true) await this.#lead();
    this.#stopLooking = world.clock.after(LOOK_FOR_OTHERS, () => {
      void this.#lookForOthers();
    });
  }

  #tellMetrics(): void {
    const { home, clusters, comparer, metrics } = this.#desk;
    showFleet(metrics, () => home.applications().filter((application) => this.#isOurs(application)), clusters);
    metrics.read('argosy_dry_runs_total', 'counter', 'Questions to servers whether a difference is real.', () => [
      [{}, comparer.asked] as const,
    ]);
    metrics.read('argosy_queue_length', 'gauge', 'Applications that wait for a pass.', () => [
      [{}, this.#queue.size] as const,
    ]);
    metrics.read('argosy_passes_total', 'counter', 'Passes over applications since the start.', () => [
      [{}, this.#passes] as const,
    ]);
  }
}

function newRecord(staleSince: number): ApplicationRecord {
  const record = new ApplicationRecord();
  record.staleSince = staleSince;
  return record;
}

/** Our own status is no news; a spec, an annotation, an operation or its end are. */
function isWorthALook(old: KubeObject, now: KubeObject): boolean {
  const essence = ({ spec, operation, metadata, status }: KubeObject): string =>
    JSON.stringify([
      spec,
      operation ?? null,
      withoutNotes(metadata.annotations ?? {}),
      metadata.labels ?? {},
      metadata.finalizers ?? [],
      metadata.deletionTimestamp ?? '',
      phaseOf(status),
    ]);
  return old.metadata.uid !== now.metadata.uid || essence(old) !== essence(now);
}

/** What the notifier remembers is nobody else's news. */
function withoutNotes({
  [NOTIFIED]: _told,
  [CHANGE]: _change,
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
