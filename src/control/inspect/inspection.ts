import type { Difference } from '../../diff/index.js';
import type { HookFinding, PlannedWave } from '../../plan/index.js';
import type { Health, SyncStatus } from '../../model/argo/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';

/** One object of an application, as the controller sees it. Secrets are masked. */
export interface InspectedResource {
  readonly key: Key;
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  /** Empty for hooks and for what is not compared. */
  readonly status: SyncStatus | '';
  readonly differences: readonly Difference[];
  readonly health?: Health;
  readonly isHook: boolean;
  readonly requiresPruning: boolean;
  readonly wave: number;
  /** The file and line in git. */
  readonly origin: string;
  /** The fields of a Secret that have a value in git; the mask hides that. */
  readonly secretFields?: readonly string[];
}

/** What a reconcile would find now, without changing anything. */
export interface Inspection {
  readonly revisions: readonly string[];
  readonly status: SyncStatus;
  readonly health: Health;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
  readonly resources: readonly InspectedResource[];
  /** What a sync would do now, in order. */
  readonly plan: readonly PlannedWave[];
  /** What was found about the rights of hooks, also where they cannot be checked. */
  readonly hooks: readonly HookFinding[];
  /** Objects of the namespace that no application manages, where the project asks for them. */
  readonly orphaned: readonly Key[];
}
