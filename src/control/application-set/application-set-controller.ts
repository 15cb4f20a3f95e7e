import { compareText } from '../../model/go/index.js';
import { equal, isObject, objectsAt, textAt } from '../../model/json/index.js';
import { Fault, faultText } from '../../model/faults/index.js';
import { formatTime, instantOf, matchesGlob } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import { WatchCache, type Change, type ClientDependencies } from '../../cluster/index.js';
import type { Metrics } from '../telemetry/index.js';
import { type RepositoryWatcher, createWorkQueue } from '../queue/index.js';
import { OutdatedError } from '../operation/index.js';
import { GenerationFault, projectOfSet } from '../generators/index.js';
import { isOwnedBy, planApplications, setOf, type SetPlan } from './plan-applications.js';
import { policyOf } from './policy.js';
import { errorConditions, successConditions, nextStatus, type SetCondition } from './status.js';
import { applyPlan, isConflictError, releaseApplications, type WriteContext } from './write-applications.js';
import { APPLICATION_SETS } from '../../model/resources/index.js';
import type { Priority, WorkQueue } from '../../model/queue/index.js';

export interface ApplicationSetOptions extends WriteContext {
  readonly world: ClientDependencies;
  /** The only namespace that sets are read in; undefined for all. */
  readonly namespace: string | undefined;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Where Argo CD's own controller of sets runs; undefined where it does not. */
  readonly findOther: () => Promise<string | undefined>;
}

const WORKERS = 2;
const RETRY_DELAY = 5000;
const CONFLICT_DELAY = 50;
/** So many times in a row is no coincidence: it is told, and tried more slowly. */
const MAX_CONFLICTS = 10;
/** States of Applications come in crowds. */
const BATCH_DELAY = 500;
const RESYNC_PERIOD = 180_000;
const OTHER_CONTROLLER_INTERVAL = 60_000;
const REFRESH_ANNOTATION = 'argocd.argoproj.io/application-set-refresh';

/** What is known of one set between passes. */
interface SetState {
  /** Applications have to be generated again; without it only the status is told anew. */
  isDue: boolean;
  /** When they are generated although nothing happened; by the steady clock, as all times here. */
  dueAt: number;
  /** How often in a row somebody else was quicker. */
  conflicts: number;
  /** What repositories said before does not count. */
  staleSince: number | undefined;
  repositories: ReadonlySet<string>;
}

/**
 * Keeps the Applications of every ApplicationSet as its generators say. A key of the queue is namespace and name of a
 * set.
 */
export class ApplicationSetController {
  readonly #options: ApplicationSetOptions;
  readonly #queue: WorkQueue;
  readonly #sets: WatchCache;
  readonly #repositories: RepositoryWatcher;
  readonly #states = new Map<string, SetState>();
  #otherController: { readonly where: string | undefined; readonly at: number } | undefined;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(options: ApplicationSetOptions) {
    const { cluster, world, log, services, namespace } = options;
    this.#options = options;
    this.#queue = createWorkQueue({
      clock: world.clock,
      random: world.random,
      workers: WORKERS,
      laneOf: (key) => {
        const [namespace = '', name = ''] = key.split('/');
        const set = this.#sets.get(namespace, name);
        return { owner: `${namespace} ${set === undefined ? '' : projectOfSet(set)}`, host: '' };
      },
      reconcile: (key) => this.#reconcileKey(key),
      report: (key, error) => {
        log.warn('reconcile failed', { object: `ApplicationSet ${key}`, error });
      },
    });
    this.#sets = new WatchCache(cluster, APPLICATION_SETS, world, namespace === undefined ? {} : { namespace });
    this.#repositories = services.repositories.watch((keys) => {
      for (const key of keys) this.#enqueue(key, 'event', true);
    });
    this.#sets.subscribe((change) => {
      this.#onSet(change);
    });
    this.#unsubscribe = [
      services.applications.onChange((change) => {
        this.#onApplication(change);
      }),
      services.settings.onChange(() => {
        this.#enqueueAll();
      }),
    ];
  }

  open(): void {
    this.#enqueueAll();
    this.#queue.open();
  }

  async pause(): Promise<void> {
    await this.#queue.pause();
  }

  async close(): Promise<void> {
    for (const leave of this.#unsubscribe) leave();
    this.#sets.close();
    this.#repositories.close();
    await this.#queue.close();
  }

  #enqueueAll(): void {
    for (const set of this.#sets.list()) this.#enqueue(keyOf(set), 'event', false);
  }

  #state(key: string): SetState {
    const record = this.#states.get(key) ?? {
      isDue: true,
      dueAt: 0,
      conflicts: 0,
      staleSince: undefined,
      repositories: new Set<string>(),
    };
    this.#states.set(key, record);
    return record;
  }

  #enqueue(key: string, priority: Priority, isStale: boolean): void {
    const record = this.#state(key);
    record.isDue = true;
    if (isStale) record.staleSince = this.#options.world.clock.steady();
    this.#queue.add(key, priority);
  }

  #onSet(change: Change): void {
    if (change.type === 'deleted') this.#queue.add(keyOf(change.old), 'event');
    // What was pushed just before a set was written belongs to it.
    else if (change.type === 'added' || isUserChange(change.old, change.object))
      this.#enqueue(keyOf(change.object), 'user', true);
  }

  /** Whatever a set decides about an Application wakes it; how the Application is only has to be told. */
  #onApplication(change: Change): void {
    const application = change.type === 'deleted' ? change.old : change.object;
    const name = setOf(application);
    if (name === undefined) return;
    const key = `${application.metadata.namespace ?? ''}/${name}`;
    if (change.type !== 'updated') {
      if (change.type === 'deleted') this.#enqueue(key, 'event', false);
    } else if (userFields(change.old) !== userFields(change.object)) this.#enqueue(key, 'event', false);
    else if (formatState(change.old) !== formatState(change.object)) this.#queue.addAfter(key, BATCH_DELAY, 'timer');
  }

  async #reconcileKey(key: string): Promise<void> {
    await this.#sets.waitForSync();
    const [namespace = '', name = ''] = key.split('/');
    const set = this.#sets.get(namespace, name);
    if (set === undefined || !this.#isManagedNamespace(namespace)) {
      this.#repositories.forget(key);
      this.#states.delete(key);
      return;
    }
    if (!this.#options.mayWrite()) {
      this.#queue.addAfter(key, RETRY_DELAY, 'timer');
      return;
    }
    if (await this.#yieldsToOther()) {
      this.#queue.addAfter(key, OTHER_CONTROLLER_INTERVAL, 'timer');
      return;
    }
    const record = this.#state(key);
    try {
      if (set.metadata.deletionTimestamp !== undefined) await releaseApplications(set, this.#owned(set), this.#options);
      else if (record.isDue || this.#options.world.clock.steady() >= record.dueAt)
        await this.#reconcile(set, key, record);
      else await this.#writeStatus(set, undefined);
      record.conflicts = 0;
      if (set.metadata.deletionTimestamp === undefined)
        this.#queue.addAfter(key, record.dueAt - this.#options.world.clock.steady(), 'timer');
    } catch (error) {
      record.isDue = true;
      if (!isConflictError(error) || ++record.conflicts > MAX_CONFLICTS) throw error;
      // The truth is on its way.
      this.#queue.addAfter(key, CONFLICT_DELAY, 'event');
    }
  }

  /** Two controllers of sets would undo each other's work. */
  async #yieldsToOther(): Promise<boolean> {
    const { findOther, world, log } = this.#options;
    const now = world.clock.steady();
    if (this.#otherController === undefined || now - this.#otherController.at >= OTHER_CONTROLLER_INTERVAL) {
      const before = this.#otherController?.where;
      this.#otherController = { where: await findOther(), at: now };
      if (this.#otherController.where !== undefined && this.#otherController.where !== before)
        log.warn(
          `the Argo CD ApplicationSet controller manages ApplicationSets, running as ${this.#otherController.where}. ` +
            'Stop it, or start with --take-over',
        );
    }
    return this.#otherController.where !== undefined;
  }

  #isManagedNamespace(namespace: string): boolean {
    const { services } = this.#options;
    return (
      namespace === services.namespace ||
      (services.applications.isApplicationNamespace(namespace) &&
        services.settings.current.applicationSets.namespaces.some((pattern) => matchesGlob(pattern, namespace)))
    );
  }

  async #reconcile(set: KubeObject, key: string, record: SetState): Promise<void> {
    const period = periodOf(set);
    // What happens from here on brings another pass.
    record.isDue = false;
    record.dueAt = this.#options.world.clock.steady() + period;
    const conditions = await this.#conditionsAfter(set, key, record, period);
    await this.#answerRefresh(set);
    await this.#writeStatus(this.#sets.get(set.metadata.namespace ?? '', set.metadata.name ?? '') ?? set, conditions);
    this.#options.metrics.count(
      'argosy_application_set_passes_total',
      'Times that the Applications of a set were generated and compared',
    );
  }

  async #conditionsAfter(
    set: KubeObject,
    key: string,
    record: SetState,
    period: number,
  ): Promise<readonly SetCondition[]> {
    if (textAt(set, 'spec', 'strategy', 'type') === 'RollingSync')
      return errorConditions(
        'ApplicationGenerationFromParamsError',
        'spec.strategy RollingSync is not supported: all Applications of this set stay unchanged. ' +
          'Use AllAtOnce, or sync waves inside the Applications',
        false,
      );
    let generated: readonly KubeObject[];
    try {
      generated = await this.#generate(set, key, record, period);
    } catch (error) {
      // Whatever could not be read or filled says nothing about which Applications there should be.
      if (!(error instanceof Fault)) throw error;
      return errorConditions(
        error instanceof GenerationFault ? error.reason : 'ErrorOccurred',
        faultText(error),
        false,
      );
    }
    const plan = this.#plan(set, generated);
    const failure = await applyPlan(set, plan, {
      ...this.#options,
      isCurrent: () =>
        this.#sets.get(set.metadata.namespace ?? '', set.metadata.name ?? '')?.metadata.generation ===
        set.metadata.generation,
    });
    if (failure !== undefined) return errorConditions(failure.reason, failure.message, true);
    const [first, ...others] = plan.rejected;
    return first === undefined
      ? successConditions()
      : errorConditions(
          'ApplicationValidationError',
          `${first.name}: ${first.message}` +
            (others.length === 0 ? '' : ` (and ${others.length} more: ${others.map(({ name }) => name).join(', ')})`),
          true,
        );
  }

  /** Repositories are followed from before they are read. */
  async #generate(set: KubeObject, key: string, record: SetState, period: number): Promise<readonly KubeObject[]> {
    const { services, world } = this.#options;
    const stale = record.staleSince;
    const used = new Set<string>();
    const generated = await services.applications.generate(set, {
      maxAge: stale === undefined ? period : Math.min(period, Math.max(0, world.clock.steady() - stale)),
      follow: (repoURL) => {
        used.add(repoURL);
        if (record.repositories.has(repoURL)) return;
        record.repositories = new Set([...record.repositories, repoURL]);
        this.#repositories.watch(key, record.repositories, projectOfSet(set));
      },
    });
    if (record.staleSince === stale) record.staleSince = undefined;
    record.repositories = used;
    this.#repositories.watch(key, used, projectOfSet(set));
    return generated;
  }

  #plan(set: KubeObject, generated: readonly KubeObject[]): SetPlan {
    const { services } = this.#options;
    const { applicationSets } = services.settings.current;
    const objectionTo = (application: KubeObject): string | undefined => {
      try {
        services.applications.admit(application);
        return undefined;
      } catch (error) {
        if (error instanceof Fault) return error.message;
        throw error;
      }
    };
    return planApplications({
      set,
      generated,
      live: services.applications.list().filter(({ metadata }) => metadata.namespace === set.metadata.namespace),
      policy: policyOf(set, applicationSets),
      preserved: { annotations: applicationSets.preservedAnnotations, labels: applicationSets.preservedLabels },
      findViolation: objectionTo,
      hasCluster: (application) => services.applications.hasCluster(application),
    });
  }

  #owned(set: KubeObject): KubeObject[] {
    return this.#options.services.applications
      .list()
      .filter((application) => application.metadata.namespace === set.metadata.namespace && isOwnedBy(application, set))
      .sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''));
  }

  async #answerRefresh(set: KubeObject): Promise<void> {
    if (set.metadata.annotations?.[REFRESH_ANNOTATION] === undefined) return;
    const { namespace = '', name = '', resourceVersion = '' } = set.metadata;
    this.#sets.recordWrite(
      await this.#options.cluster.patch(
        APPLICATION_SETS,
        { namespace, name },
        { type: 'merge', body: { metadata: { resourceVersion, annotations: { [REFRESH_ANNOTATION]: null } } } },
      ),
    );
  }

  async #writeStatus(set: KubeObject, conditions: readonly SetCondition[] | undefined): Promise<void> {
    const { cluster, world, services } = this.#options;
    const status = nextStatus(
      set,
      this.#owned(set),
      conditions,
      formatTime(instantOf(world.clock.now().getTime())),
      services.settings.current.applicationSets.maxResources,
    );
    if (equal(status, set.status)) return;
    if (!this.#options.mayWrite()) throw new OutdatedError('this process is no longer the leader');
    this.#sets.recordWrite(await cluster.update(APPLICATION_SETS, { ...set, status }, { subresource: 'status' }));
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** A refresh that was answered is no news. */
function isUserChange(old: KubeObject, now: KubeObject): boolean {
  const plain = (set: KubeObject): KubeObject => {
    const { [REFRESH_ANNOTATION]: _, ...annotations } = set.metadata.annotations ?? {};
    return { ...set, metadata: { ...set.metadata, annotations } };
  };
  return (
    userFields(plain(old)) !== userFields(plain(now)) ||
    (now.metadata.annotations?.[REFRESH_ANNOTATION] !== undefined &&
      old.metadata.annotations?.[REFRESH_ANNOTATION] === undefined)
  );
}

/** What people write, and not what controllers say about it. */
function userFields({
  spec,
  metadata: { annotations = {}, labels = {}, finalizers = [], ownerReferences = [], deletionTimestamp = '' },
}: KubeObject): string {
  return JSON.stringify([spec, annotations, labels, finalizers, ownerReferences, deletionTimestamp]);
}

function formatState(application: KubeObject): string {
  return `${textAt(application, 'status', 'sync', 'status')} ${textAt(application, 'status', 'health', 'status')}`;
}

/** How often the set is looked at although nothing happened, in milliseconds. */
function periodOf(set: KubeObject): number {
  const requeues = objectsAt(set, 'spec', 'generators').flatMap((generator) =>
    Object.values(generator).flatMap((body) => {
      const seconds = isObject(body) ? body.requeueAfterSeconds : undefined;
      return typeof seconds === 'number' && seconds > 0 ? [seconds * 1000] : [];
    }),
  );
  return Math.min(RESYNC_PERIOD, ...requeues);
}
