import type { ImageName, ImageState } from './image.js';
import type { Health, OperationPhase, ResourceResult, SyncPhase, SyncRequest } from '../../model/argo/index.js';
import type { Improvements } from '../../model/settings/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';

/** One object of the application: as git wants it, as the cluster has it, or both. Hooks are among them. */
export interface SyncResource {
  readonly key: Key;
  /** With namespace and tracking, ready to be applied. Undefined: git does not have it (any more). */
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  /** Target and live differ, or one of them is missing. */
  readonly isModified: boolean;
  /** The server was asked by a dry run already and would take the target. */
  readonly isChecked?: boolean;
  /** What the server says against the target, where it was asked already. */
  readonly rejection?: string;
}

/**
 * Everything that the next move depends on. The same input gives the same move.
 * Live objects are as new as the last step that was run: what an apply answered is in, what was deleted is gone or has
 * its deletionTimestamp. Without that, a verdict from before the apply would open the next wave.
 */
export interface SyncInput {
  readonly resources: readonly SyncResource[];
  /** The live object of any key, for hooks and namespaces that `resources` does not pair. */
  find(key: Key): KubeObject | undefined;
  /** The verdict on a live object; undefined where nobody judges its kind. */
  assess(live: KubeObject): Health | undefined;
  /** Whether the cluster serves the kind; undefined where it does not. */
  kindOf(object: KubeObject): { readonly namespaced: boolean } | undefined;
  /** Where the cluster serves a kind of that name in another version or group. */
  servedInstead?(object: KubeObject): { readonly group: string; readonly version: string } | undefined;
  /** Why the project does not allow the object; undefined where it does. */
  findViolation(object: KubeObject): string | undefined;
  readonly request: SyncRequest;
  /** Those of the Application and of the request together. */
  readonly syncOptions: readonly string[];
  readonly destinationNamespace: string;
  /** For `CreateNamespace=true`. */
  readonly namespaceMetadata?: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly state: {
    /** Of the operation: sha256 over its identity, 10 characters. Hooks carry it. */
    readonly operationId: string;
    readonly revision: string;
    readonly startedAt: Date;
    /** What was done so far; empty at the first move. */
    readonly results: readonly ResourceResult[];
    readonly isTerminating: boolean;
    /**
     * When the last `apply` steps ran, for the delay between waves, for deadlines and to say since when something is
     * awaited.
     */
    readonly waveAppliedAt?: Date;
    /**
     * A move with `check` steps of this operation was run in this process and its outcomes are in `results`. Kept in
     * memory only: a restarted process asks the server once more, unless something was applied already.
     */
    readonly isChecked?: boolean;
    /** What an earlier move of this operation gave as `pruneWaves`. */
    readonly pruneWaves?: readonly number[];
    /** What an earlier move gave as `imageGate`. */
    readonly imageGate?: ImageGateSince;
  };
  /** `argocd.argoproj.io/deletion-approved` of the Application. */
  readonly deletionApprovedAt?: Date;
  readonly improvements: Improvements;
  /** Kinds such as `serving.kserve.io/InferenceService` that hold no wave until they were Ready once. */
  readonly ungatedKinds?: readonly string[];
  /**
   * How long any resource of the application may take, in milliseconds; with `deadlines`, where neither the resource
   * nor its wave says.
   */
  readonly waitTimeout?: number;
  /** The same for the resources of a wave. */
  readonly waveTimeouts?: ReadonlyMap<number, number>;
  /**
   * How long a resource with `mlops.dev/block-wave` may hold the sync where it does not say itself, in milliseconds.
   */
  readonly gateTimeout?: number;
  /** How far an image is; undefined where nobody has looked yet: `awaitedImages` names those that matter. */
  imageState?(image: ImageName): ImageState | undefined;
  /** What keeps a running hook from its end (those of `awaitedHooks`); undefined where nothing is known. */
  hookReason?(hook: Key): HookReason | undefined;
  /** When to ask for that again. */
  readonly hookLookAt?: Date;
  /** Images that the Application itself makes waves wait for. */
  readonly waveImages?: readonly { readonly wave: number; readonly images: readonly ImageName[] }[];
  /** How long an image may be awaited where the object does not say, in milliseconds. */
  readonly imageTimeout?: number;
  /** `controller.sync.wave.delay.seconds`, in milliseconds; without `noWaveDelay`. */
  readonly waveDelay: number;
  readonly now: Date;
}

/** Why a hook waits. */
export interface HookReason {
  /** One sentence without a full stop. */
  readonly message: string;
  /** What ends the waiting beside the repair of its cause. */
  readonly remedy: string;
  /** None of its containers has run: there is no work that could be cut off. */
  readonly isIdle: boolean;
}

/** Since when a step waits for its images. */
export interface ImageGateSince {
  readonly place: string;
  readonly since: Date;
}

/** Which task of the sync a step belongs to. */
export interface TaskRef {
  readonly key: Key;
  readonly version: string;
  readonly phase: SyncPhase;
}

export interface ApplyOptions {
  /**
   * `apply`: server-side apply. `replace`: create or PUT. `recreate`: delete, wait until gone, create. `create`: a
   * hook, never applied over another.
   */
  readonly method: 'apply' | 'replace' | 'recreate' | 'create';
  /** An `apply` that only creates: what somebody else has made is left as it is. */
  readonly createOnly?: true;
  /** Fields that the schema does not know are refused. */
  readonly validate: boolean;
  /** `ClientSideApplyMigration=false`: ownership of other managers is left alone. */
  readonly migrate: boolean;
  /** Where the server refuses an `apply` as invalid (a field that cannot change): delete, wait until gone, create. */
  readonly force: boolean;
}

export type SyncStep =
  /**
   * Ask the server, without changing anything. `isDryRun`: the whole operation is a dry run, and what comes of the step
   * is a result of it.
   */
  | {
      readonly kind: 'check';
      readonly task: TaskRef;
      readonly object: KubeObject;
      readonly live?: KubeObject;
      readonly how: ApplyOptions;
      readonly isDryRun: boolean;
    }
  | {
      readonly kind: 'apply';
      readonly task: TaskRef;
      readonly object: KubeObject;
      readonly live?: KubeObject;
      readonly how: ApplyOptions;
    }
  | { readonly kind: 'prune'; readonly task: TaskRef; readonly live: KubeObject; readonly propagation: Propagation }
  /** A hook of an earlier operation, or one that its policy removes. */
  | {
      readonly kind: 'delete-hook';
      readonly task: TaskRef;
      readonly live: KubeObject;
      readonly propagation: Propagation;
    }
  /** Take the hook finalizer off, so that the hook may go. */
  | { readonly kind: 'release-hook'; readonly task: TaskRef; readonly live: KubeObject };

export type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** What a sync waits for, said so that people can act. */
export interface Wait {
  readonly why:
    | 'health'
    | 'hook'
    | 'deletion'
    | 'prune-confirmation'
    | 'hook-deletion'
    | 'wave-delay'
    | 'unknown-kind'
    | 'image';
  readonly key: Key;
  /** Such as the health message of the object. */
  readonly message: string;
}

/** What to do now. Nothing to do and phase Running: wait for one of `waitsFor`. */
export interface SyncPlan {
  readonly phase: OperationPhase;
  /** For `operationState.message`. */
  readonly message: string;
  /** The results with what the live objects say by now; written before `groups` run where they changed. */
  readonly results: readonly ResourceResult[];
  /** Groups run one after another, the steps of one group at the same time. */
  readonly groups: readonly (readonly SyncStep[])[];
  readonly waitsFor: readonly Wait[];
  /**
   * When to ask again although nothing happened: after a wave delay, at a deadline, or (`now`) as soon as `results` are
   * written.
   */
  readonly requeueAt?: Date;
  /**
   * The waves of all objects that the operation prunes, where there is more than one. Must outlive the process
   * (`operation.info`): an object that is gone no longer tells its wave, and the order of those that are left depends
   * on it.
   */
  readonly pruneWaves?: readonly number[];
  /** Since when the step waits for images; must outlive the process as well. */
  readonly imageGate?: ImageGateSince;
}

/** What came of a step. */
export interface StepOutcome {
  readonly step: SyncStep;
  readonly isDone: boolean;
  /** The server's words, or what kubectl would print (`configmap/a created`). */
  readonly message: string;
}
