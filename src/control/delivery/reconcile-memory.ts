import type { ComparedState, RelatedObjects } from '../comparison/index.js';
import type { RunningOperation } from '../operation/index.js';
import type { CompiledRules } from './reconciliation.js';
import type { RenderedTargets } from './render-targets.js';

/** A refresh that was requested by annotation. */
export interface RefreshRequest {
  readonly kind: 'normal' | 'hard';
  /** Steady time of the reconcile that first read the annotation. */
  readonly at: number;
  /** The head has been rendered for it; the status has still to be written. */
  readonly isRendered?: boolean;
}

/** The cause of a failed sync, as it was when the failure was first found. */
export interface KnownCause {
  /** Start of the operation that failed. */
  readonly startedAt: string;
  readonly cause: string;
}

/** What one reconcile leaves for the next one of the same application. */
export interface CachedValues {
  /** Targets of the sources as the Application has them now. */
  readonly head: RenderedTargets | undefined;
  /** Targets at the revisions of an operation, where they differ from the head. */
  readonly pinned: RenderedTargets | undefined;
  /** The last comparison with the head: pairs that have not changed since are not compared again. */
  readonly comparedState: ComparedState | undefined;
  readonly compiledRules: CompiledRules | undefined;
  readonly refresh: RefreshRequest | undefined;
  /** Steady time of the first failure since the last success. */
  readonly failingSince: number | undefined;
  readonly failureCause: KnownCause | undefined;
  /** Steady time before which a failed deletion is not retried. */
  readonly deleteNotBefore: number | undefined;
  /** Keys of the objects in the last comparison: a change of one of them enqueues the application. */
  readonly resourceTopics: ReadonlySet<string>;
  /** Topics of roles and bindings, while a hook lacks permissions. */
  readonly permissionTopics: ReadonlySet<string>;
  /** Other objects that health checks read in the last reconcile. */
  readonly relatedObjects: RelatedObjects | undefined;
}

/** What a sub-reconciler wants remembered. */
export interface CacheUpdate extends Partial<CachedValues> {
  /** Steady time of an event that makes the known revisions stale; the newest one counts. */
  readonly staleSince?: number | undefined;
  /** The repositories were read for this `staleSince`: unless a newer one came meanwhile, nothing is stale now. */
  readonly answered?: number | undefined;
}

/** The cache as sub-reconcilers see it: they return updates and never write. */
export interface CacheReader {
  readonly values: CachedValues;
  readonly staleSince: number | undefined;
}

const NO_TOPICS: ReadonlySet<string> = new Set();
const NO_VALUES: CachedValues = {
  head: undefined,
  pinned: undefined,
  comparedState: undefined,
  compiledRules: undefined,
  refresh: undefined,
  failingSince: undefined,
  failureCause: undefined,
  deleteNotBefore: undefined,
  resourceTopics: NO_TOPICS,
  permissionTopics: NO_TOPICS,
  relatedObjects: undefined,
};

/**
 * Saves work between reconciles of one application. It may be thrown away at any time: the next reconcile then works
 * everything out again.
 */
export class ReconcileCache implements CacheReader {
  #values = NO_VALUES;
  #staleSince: number | undefined;

  /** Steady time since when the repositories have to be asked again; undefined while the known revisions count. */
  constructor(staleSince?: number) {
    this.#staleSince = staleSince;
  }

  get values(): CachedValues {
    return this.#values;
  }

  get staleSince(): number | undefined {
    return this.#staleSince;
  }

  /** Something changed that makes the known revisions stale; an answer from before `at` does not count. */
  markStale(at: number): void {
    this.#staleSince = at;
  }

  /** The head has to be rendered again, from any answer since the revisions became stale. */
  requestRender(at: number): void {
    this.#staleSince ??= at;
  }

  update({ staleSince, answered, ...values }: CacheUpdate): void {
    this.#values = { ...this.#values, ...values };
    if (staleSince !== undefined) this.#staleSince = Math.max(staleSince, this.#staleSince ?? staleSince);
    if (answered !== undefined && this.#staleSince === answered) this.#staleSince = undefined;
  }
}

/** Where `operate` keeps what it has done so far; empty while no operation is under way. */
export interface OperationSlot {
  running: RunningOperation | undefined;
}

/** Everything that is remembered of one application between reconciles: a cache, and the operation under way. */
export class ReconcileMemory {
  readonly cache: ReconcileCache;
  readonly operation: OperationSlot = { running: undefined };
  #subscribed: ReadonlySet<string> = NO_TOPICS;

  constructor(staleSince?: number) {
    this.cache = new ReconcileCache(staleSince);
  }

  /** Everything whose changes enqueue the application. */
  get topics(): ReadonlySet<string> {
    const { resourceTopics, permissionTopics, relatedObjects } = this.cache.values;
    const awaited = this.operation.running?.awaitedTopics ?? NO_TOPICS;
    if (awaited.size + permissionTopics.size + (relatedObjects?.size ?? 0) === 0) return resourceTopics;
    return new Set([...resourceTopics, ...awaited, ...permissionTopics, ...(relatedObjects?.topics ?? [])]);
  }

  /** Called once the topics are subscribed to; true if a change may have been missed before that. */
  resubscribe(): boolean {
    const { permissionTopics, relatedObjects } = this.cache.values;
    const topics = new Set([...(this.operation.running?.awaitedTopics ?? []), ...permissionTopics]);
    const isNew = [...topics].some((topic) => !this.#subscribed.has(topic));
    this.#subscribed = topics;
    return isNew || relatedObjects?.isOutdated === true;
  }
}
