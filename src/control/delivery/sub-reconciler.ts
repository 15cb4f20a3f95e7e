import type { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Operation, OperationState } from '../../model/argo/index.js';
import type { Resumption } from '../../plan/index.js';
import type { ComparedState, Condition } from '../comparison/index.js';
import type { OperationUpdate } from '../operation/index.js';
import type { Admission, Admitted } from './admission.js';
import type { HeadRequest } from './head-request.js';
import type { ReconcileContext, RequeueAfter } from './reconcile-context.js';
import type { CacheReader, CacheUpdate, OperationSlot } from './reconcile-memory.js';
import type { Reconciliation } from './reconciliation.js';
import type { RenderedTargets } from './render-targets.js';

/** One step of a reconcile: takes the values of those before it and adds its own. */
export type SubReconciler<In, Out> = (input: In) => SubResult<Out> | Promise<SubResult<Out>>;

/** What a sub-reconciler returns; `reconcile-application.ts` says what each of them causes. */
export type SubResult<Out> = { readonly cache?: CacheUpdate } & (
  | { readonly kind: 'next'; readonly values: Out }
  | { readonly kind: 'done'; readonly requeue?: RequeueAfter }
  | { readonly kind: 'again'; readonly object: KubeObject }
  | { readonly kind: 'rejected'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'deleting'; readonly admission: Admission }
);

/** Where a reconcile starts. */
export interface ReconcileRequest {
  /** The Application as this reconcile found it; later values have it as it was last written. */
  readonly object: KubeObject;
  readonly cache: CacheReader;
  readonly operation: OperationSlot;
  readonly context: ReconcileContext;
}

export interface AdmittedApplication extends ReconcileRequest, Admitted {}

export interface ResolvedApplication extends AdmittedApplication, Reconciliation {
  readonly headRequest: HeadRequest;
  readonly operationRequest: OperationRequest;
}

/** What the Application says about an operation, before anything is rendered or compared. */
export type OperationRequest =
  | { readonly kind: 'none' }
  /** Another controller delivers: nothing is written. */
  | { readonly kind: 'read-only' }
  /** Requested and not started. */
  | {
      readonly kind: 'start';
      readonly operation: Operation;
      readonly sources: readonly JsonObject[];
      readonly revisions: readonly string[];
    }
  | {
      readonly kind: 'resume';
      readonly state: OperationState;
      readonly next: Resumption;
      readonly sources: readonly JsonObject[];
    };

export interface RenderedApplication extends ResolvedApplication {
  readonly head: RenderedTargets;
  /** What the operation delivers; undefined if there is none or it only waits. */
  readonly operationTargets: OperationTargets | undefined;
}

/**
 * A Fault about what an operation delivers is not one about the application: the head is compared all the same, and
 * `operate` throws it once the operation has reached that point.
 */
export type OperationTargets =
  | { readonly kind: 'rendered'; readonly targets: RenderedTargets }
  | { readonly kind: 'fault'; readonly fault: Fault };

export interface ComparedTargets {
  readonly targets: RenderedTargets;
  readonly comparedState: ComparedState;
}

export interface ComparedApplication extends RenderedApplication {
  /** The head compared with the live objects. */
  readonly headState: ComparedState;
  readonly operationCompared:
    | ({ readonly kind: 'compared' } & ComparedTargets)
    | { readonly kind: 'fault'; readonly fault: Fault }
    | undefined;
}

export type Decision =
  | { readonly kind: 'nothing'; readonly conditions: readonly Condition[]; readonly requeueAt?: Date }
  | {
      readonly kind: 'start';
      readonly operation: Operation;
      readonly sources: readonly JsonObject[];
      readonly conditions: readonly Condition[];
    }
  | { readonly kind: 'resume'; readonly next: Resumption };

export interface DecidedApplication extends ComparedApplication {
  readonly decision: Decision;
}

/** What the status is written from. */
export interface OperatedApplication extends ReconcileRequest, Reconciliation {
  readonly head: RenderedTargets;
  /** The head compared with the live objects after the operation. */
  readonly headState: ComparedState;
  /** Conditions beside those of the comparison. */
  readonly conditions: readonly Condition[];
  readonly operationUpdate?: OperationUpdate;
  readonly requeueAt?: Date;
}
