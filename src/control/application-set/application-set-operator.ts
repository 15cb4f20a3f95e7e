import {
  compareText,
  equal,
  Fault,
  formatTime,
  instantOf,
  isObject,
  listAt,
  matchesGlob,
  textAt,
  type KubeObject,
} from '../../model/index.js';
import { WatchCache, type Change, type World } from '../../cluster/index.js';
import { APPLICATION_SETS } from '../delivery/home.js';
import type { Metrics } from '../delivery/metrics.js';
import type { RepositoryWatch } from '../delivery/repository-watch.js';
import { Outdated } from '../delivery/run-steps.js';
import { WorkQueue } from '../delivery/work-queue.js';
import { GenerationFault } from './generate/generate-applications.js';
import { isOwnedBy, planApplications, setOf, type SetPlan } from './plan-applications.js';
import { policyOf } from './policy.js';
import { badConditions, goodConditions, nextStatus, type SetCondition } from './status.js';
import { carryOut, isOvertaken, release, type WriteDesk } from './write-applications.js';

export interface ApplicationSetOptions extends WriteDesk {
  readonly world: World;
  /** The only namespace that sets are read in; undefined for all. */
  readonly namespace: string | undefined;
  readonly log: (line: string) => void;
  readonly metrics: Metrics;
  /** Where Argo CD's own controller of sets runs; undefined where it does not. */
  readonly findOther: () => Promise<string | undefined>;
}

const WORKERS = 2;
const ASK_AGAIN = 5000;
const AFTER_CONFLICT = 50;
/** So many times in a row is no coincidence: it is told, and tried more slowly. */
const MOST_OVERTAKEN = 10;
/** States of Applications come in crowds. */
const BATCH = 500;
const EVERY = 180_000;
const LOOK_FOR_OTHERS = 60_000;
const REFRESH = 'argocd.argoproj.io/application-set-refresh';

/** What is known of one set between passes. */
interface SetRecord {
  /** Applications have to be generated again; without it only the status is told anew. */
  isDue: boolean;
  /** When they are generated although nothing happened; by the steady clock, as all times here. */
  dueAt: number;
  /** How often in a row somebody else was quicker. */
  overtaken: number;
  /** What repositories said before does not count. */
  staleSince: number | undefined;
  repositories: ReadonlySet<string>;
}

/**
 * Keeps the Applications of every ApplicationSet as its generators say. A key of the queue is namespace and name of a
 * set.
 */
export class ApplicationSetOperator {
  readonly #options: ApplicationSetOptions;
  readonly #queue: WorkQueue;
  readonly #sets: WatchCache;
  readonly #repositories: RepositoryWatch;
  readonly #records = new Map<string, SetRecord>();
  #other: { readonly where: string | undefined; readonly at: number } | undefined;
  readonly #leave: readonly (() => void)[];

  constructor(options: ApplicationSetOptions) {
    const { cluster, world, log, front, namespace } = options;
    this.#options = options;
    this.#queue = new WorkQueue({
      clock: world.clock,
      random: world.random,
      workers: WORKERS,
      work: (key) => this.#pass(key),
      report: (problem) => {
        log(`ApplicationSet ${problem}`);
      },
    });
    this.#sets = new WatchCache(cluster, APPLICATION_SETS, world, namespace === undefined ? {} : { namespace });
    this.#repositories = front.watchRepositories((keys) => {
      for (const key of keys) this.#due(key, 'news', true);
    });
    this.#sets.subscribe((change) => {
      this.#onSet(change);
    });
    this.#leave = [
      front.onApplication((change) => {
        this.#onApplication(change);
      }),
      front.onSettings(() => {
        this.#everybody();
      }),
    ];
  }

  open(): void {
    this.#everybody();
    this.#queue.open();
  }

  async pause(): Promise<void> {
    await this.#queue.pause();
  }

  async close(): Promise<void> {
    for (const leave of this.#leave) leave();
    this.#sets.close();
    this.#repositories.close();
    await this.#queue.close();
  }

  #everybody(): void {
    for (const set of this.#sets.list()) this.#due(keyOf(set), 'news', false);
  }

  #record(key: string): SetRecord {
    const record = this.#records.get(key) ?? {
      isDue: true,
      dueAt: 0,
      overtaken: 0,
      staleSince: undefined,
      repositories: new Set<string>(),
    };
    this.#records.set(key, record);
    return record;
  }

  #due(key: string, priority: 'people' | 'news' | 'timer', isStale: boolean): void {
    const record = this.#record(key);
    record.isDue = true;
    if (isStale) record.staleSince = this.#options.world.clock.steady();
    this.#queue.add(key, priority);
  }

  #onSet(change: Change): void {
    if (change.type === 'deleted') this.#queue.add(keyOf(change.old), 'news');
    // What was pushed just before a set was written belongs to it.
    else if (change.type === 'added' || isWish(change.old, change.object))
      this.#due(keyOf(change.object), 'people', true);
  }

  /** Whatever a set decides about an Application wakes it; how the Application is only has to be told. */
  #onApplication(change: Change): void {
    const application = change.type === 'deleted' ? change.old : change.object;
    const name = setOf(application);
    if (name === undefined) return;
    const key = `${application.metadata.namespace ?? ''}/${name}`;
    if (change.type !== 'updated') {
      if (change.type === 'deleted') this.#due(key, 'news', false);
    } else if (essence(change.old) !== essence(change.object)) this.#due(key, 'news', false);
    else if (shownState(change.old) !== shownState(change.object)) this.#queue.addAfter(key, BATCH, 'timer');
  }

  async #pass(key: string): Promise<void> {
    await this.#sets.settled();
    const [namespace = '', name = ''] = key.split('/');
    const set = this.#sets.get(namespace, name);
    if (set === undefined || !this.#isOurs(namespace)) {
      this.#repositories.want(key, new Set());
      this.#records.delete(key);
      return;
    }
    if (!this.#options.mayWrite()) {
      this.#queue.addAfter(key, ASK_AGAIN, 'timer');
      return;
    }
    if (await this.#stepsBack()) {
      this.#queue.addAfter(key, LOOK_FOR_OTHERS, 'timer');
      return;
    }
    const record = this.#record(key);
    try {
      if (set.metadata.deletionTimestamp !== undefined) await release(set, this.#owned(set), this.#options);
      else if (record.isDue || this.#options.world.clock.steady() >= record.dueAt)
        await this.#reconcile(set, key, record);
      else await this.#tell(set, undefined);
      record.overtaken = 0;
      if (set.metadata.deletionTimestamp === undefined)
        this.#queue.addAfter(key, record.dueAt - this.#options.world.clock.steady(), 'timer');
    } catch (error) {
      record.isDue = true;
      if (!isOvertaken(error) || ++record.overtaken > MOST_OVERTAKEN) throw error;
      // The truth is on its way.
      this.#queue.addAfter(key, AFTER_CONFLICT, 'news');
    }
  }

  /** Two controllers of sets would undo each other's work. */
  async #stepsBack(): Promise<boolean> {
    const { findOther, world, log } = this.#options;
    const now = world.clock.steady();
    if (this.#other === undefined || now - this.#other.at >= LOOK_FOR_OTHERS) {
      const before = this.#other?.where;
      this.#other = { where: await findOther(), at: now };
      if (this.#other.where !== undefined && this.#other.where !== before)
        log(
          `ApplicationSets are left to Argo CD's controller of them, which runs as ${this.#other.where}. ` +
            'Stop it, or start with --take-over',
        );
    }
    return this.#other.where !== undefined;
  }

  #isOurs(namespace: string): boolean {
    const { front } = this.#options;
    return (
      namespace === front.namespace ||
      (front.isOurs(namespace) &&
        front.settings.applicationSets.namespaces.some((pattern) => matchesGlob(pattern, namespace)))
    );
  }

  async #reconcile(set: KubeObject, key: string, record: SetRecord): Promise<void> {
    const period = periodOf(set);
    // What happens from here on brings another pass.
    record.isDue = false;
    record.dueAt = this.#options.world.clock.steady() + period;
    const conditions = await this.#conditionsAfter(set, key, record, period);
    await this.#answerRefresh(set);
    await this.#tell(this.#sets.get(set.metadata.namespace ?? '', set.metadata.name ?? '') ?? set, conditions);
    this.#options.metrics.count(
      'argosy_application_set_passes_total',
      'Times that the Applications of a set were generated and compared',
    );
  }

  async #conditionsAfter(
    set: KubeObject,
    key: string,
    record: SetRecord,
    period: number,
  ): Promise<readonly SetCondition[]> {
    if (textAt(set, 'spec', 'strategy', 'type') === 'RollingSync')
      return badConditions(
        'ApplicationGenerationFromParamsError',
        'spec.strategy RollingSync is not done by Argosy: all Applications of this set stay as they are. ' +
          'Use AllAtOnce, or waves inside of the Applications',
        false,
      );
    let generated: readonly KubeObject[];
    try {
      generated = await this.#generate(set, key, record, period);
    } catch (error) {
      // Whatever could not be read or filled says nothing about which Applications there should be.
      if (!(error instanceof Fault)) throw error;
      return badConditions(error instanceof GenerationFault ? error.reason : 'ErrorOccurred', error.message, false);
    }
    const plan = this.#plan(set, generated);
    const failure = await carryOut(set, plan, {
      ...this.#options,
      isCurrent: () =>
        this.#sets.get(set.metadata.namespace ?? '', set.metadata.name ?? '')?.metadata.generation ===
        set.metadata.generation,
    });
    if (failure !== undefined) return badConditions(failure.reason, failure.message, true);
    const [first, ...others] = plan.refused;
    return first === undefined
      ? goodConditions()
      : badConditions(
          'ApplicationValidationError',
          `${first.name}: ${first.message}${others.length === 0 ? '' : ` (and ${others.length} more: ${others.map(({ name }) => name).join(', ')})`}`,
          true,
        );
  }

  /** Repositories are followed from before they are read. */
  async #generate(set: KubeObject, key: string, record: SetRecord, period: number): Promise<readonly KubeObject[]> {
    const { front, world } = this.#options;
    const stale = record.staleSince;
    const used = new Set<string>();
    const generated = await front.generateApplications(set, {
      maxAge: stale === undefined ? period : Math.min(period, Math.max(0, world.clock.steady() - stale)),
      follow: (repoURL) => {
        used.add(repoURL);
        if (record.repositories.has(repoURL)) return;
        record.repositories = new Set([...record.repositories, repoURL]);
        this.#repositories.want(key, record.repositories);
      },
    });
    if (record.staleSince === stale) record.staleSince = undefined;
    record.repositories = used;
    this.#repositories.want(key, used);
    return generated;
  }

  #plan(set: KubeObject, generated: readonly KubeObject[]): SetPlan {
    const { front } = this.#options;
    const { applicationSets } = front.settings;
    const objectionTo = (application: KubeObject): string | undefined => {
      try {
        front.admit(application);
        return undefined;
      } catch (error) {
        if (error instanceof Fault) return error.message;
        throw error;
      }
    };
    return planApplications({
      set,
      generated,
      live: front.applications().filter(({ metadata }) => metadata.namespace === set.metadata.namespace),
      policy: policyOf(set, applicationSets),
      preserved: { annotations: applicationSets.preservedAnnotations, labels: applicationSets.preservedLabels },
      objectionTo,
      hasCluster: (application) => front.hasCluster(application),
    });
  }

  #owned(set: KubeObject): KubeObject[] {
    return this.#options.front
      .applications()
      .filter((application) => application.metadata.namespace === set.metadata.namespace && isOwnedBy(application, set))
      .sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''));
  }

  async #answerRefresh(set: KubeObject): Promise<void> {
    if (set.metadata.annotations?.[REFRESH] === undefined) return;
    const { namespace = '', name = '', resourceVersion = '' } = set.metadata;
    this.#sets.learn(
      await this.#options.cluster.patch(
        APPLICATION_SETS,
        { namespace, name },
        { type: 'merge', body: { metadata: { resourceVersion, annotations: { [REFRESH]: null } } } },
      ),
    );
  }

  async #tell(set: KubeObject, conditions: readonly SetCondition[] | undefined): Promise<void> {
    const { cluster, world, front } = this.#options;
    const status = nextStatus(
      set,
      this.#owned(set),
      conditions,
      formatTime(instantOf(world.clock.now().getTime())),
      front.settings.applicationSets.mostResources,
    );
    if (equal(status, set.status)) return;
    if (!this.#options.mayWrite()) throw new Outdated('this process does not lead any more');
    this.#sets.learn(await cluster.update(APPLICATION_SETS, { ...set, status }, { subresource: 'status' }));
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** A refresh that was answered is no news. */
function isWish(old: KubeObject, now: KubeObject): boolean {
  const plain = (set: KubeObject): KubeObject => {
    const { [REFRESH]: _, ...annotations } = set.metadata.annotations ?? {};
    return { ...set, metadata: { ...set.metadata, annotations } };
  };
  return (
    essence(plain(old)) !== essence(plain(now)) ||
    (now.metadata.annotations?.[REFRESH] !== undefined && old.metadata.annotations?.[REFRESH] === undefined)
  );
}

/** What people write, and not what controllers say about it. */
function essence({
  spec,
  metadata: { annotations = {}, labels = {}, finalizers = [], ownerReferences = [], deletionTimestamp = '' },
}: KubeObject): string {
  return JSON.stringify([spec, annotations, labels, finalizers, ownerReferences, deletionTimestamp]);
}

function shownState(application: KubeObject): string {
  return `${textAt(application, 'status', 'sync', 'status')} ${textAt(application, 'status', 'health', 'status')}`;
}

/** How often the set is looked at although nothing happened, in milliseconds. */
function periodOf(set: KubeObject): number {
  const wishes = listAt(set, 'spec', 'generators').flatMap((generator) =>
    Object.values(generator).flatMap((body) => {
      const seconds = isObject(body) ? body.requeueAfterSeconds : undefined;
      return typeof seconds === 'number' && seconds > 0 ? [seconds * 1000] : [];
    }),
  );
  return Math.min(EVERY, ...wishes);
}
