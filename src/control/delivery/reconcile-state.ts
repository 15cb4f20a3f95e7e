import type { DiffRules } from '../../diff/index.js';
import type { RenderedManifests } from '../manifests/index.js';
import type { ImageGateSince } from '../../plan/index.js';
import type { RelatedObjects, ComparedState, Targets } from '../comparison/index.js';

/** Manifests that were made once, and what they were made from. */
export interface RenderedTargets {
  /** Everything but the commits that the result depends on. */
  readonly key: string;
  readonly rendered: RenderedManifests;
  readonly targets: Targets;
}

/** What an operation under way has done in this process; lost with it, and then done again without harm. */
export interface RunningOperation {
  readonly id: string;
  /** The server was asked whether it would take everything. */
  isChecked: boolean;
  waveAppliedAt?: Date;
  pruneWaves?: readonly number[];
  imageGate?: ImageGateSince;
}

/** What a failed sync came from, as it was when the failure was first looked at. */
interface KnownCause {
  /** Start of the operation that failed. */
  readonly startedAt: string;
  readonly cause: string;
}

/** What is remembered of an application between passes. All of it can be thrown away at any time. */
export class ReconcileState {
  /** Of the sources as the Application has them now. */
  head: RenderedTargets | undefined;
  /** Of the commits that an operation is pinned to, where they are others. */
  pinned: RenderedTargets | undefined;
  comparedState: ComparedState | undefined;
  rules: { readonly from: readonly unknown[]; readonly rules: DiffRules } | undefined;
  running: RunningOperation | undefined;
  /** Steady time since when the repository must be asked again; undefined while what is known counts. */
  staleSince: number | undefined;
  /** Somebody asked for a refresh: manifests are made anew, and the pass is told in the status. */
  refresh: { readonly kind: 'normal' | 'hard'; readonly at: number } | undefined;
  /** Steady time of the first failure of the repository since it last worked. */
  failingSince: number | undefined;
  /** What the last failed sync came from. */
  failure: KnownCause | undefined;
  /** Steady time before which a deletion that failed is not tried again. */
  deleteNotBefore: number | undefined;
  /** Passes in a row that ended because somebody else had written meanwhile. */
  conflicts = 0;
  /** Topics beside its objects that wake the application: what its sync waits for. */
  awaitedTopics: ReadonlySet<string> = new Set();
  /** Topics of roles and bindings, while a hook lacks rights. */
  permissionTopics: ReadonlySet<string> = new Set();
  /** What the checks of the last pass looked at beside its objects. */
  relatedObjects: RelatedObjects | undefined;
  #subscribed: ReadonlySet<string> = new Set();
  /** Keys of objects that the last pass wanted, to wake the application when they change. */
  resourceTopics: ReadonlySet<string> = new Set();

  /** Everything that wakes the application. */
  get topics(): ReadonlySet<string> {
    if (this.awaitedTopics.size + this.permissionTopics.size + (this.relatedObjects?.size ?? 0) === 0)
      return this.resourceTopics;
    return new Set([
      ...this.resourceTopics,
      ...this.awaitedTopics,
      ...this.permissionTopics,
      ...(this.relatedObjects?.topics ?? []),
    ]);
  }

  /** From now on it hears of what it awaits; true where it may have missed something of that. */
  resubscribe(): boolean {
    const topics = new Set([...this.awaitedTopics, ...this.permissionTopics]);
    const isNew = [...topics].some((topic) => !this.#subscribed.has(topic));
    this.#subscribed = topics;
    return isNew || this.relatedObjects?.isOutdated === true;
  }
}
