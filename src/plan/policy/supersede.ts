import type { Application, OperationState } from '../../model/argo/index.js';
import type { Key } from '../../model/kubernetes/index.js';
import type { SyncPlan } from '../sync/index.js';

/** What a newer commit means for a sync that waits for hooks. */
export interface HookSupersession {
  /** The head would be delivered without anybody asking once the operation is over: nobody's choice is overruled. */
  readonly followsHead: boolean;
  /** Whether the hook may be cut off for the newer commit. */
  readonly mayEnd: (hook: Key) => boolean;
}

const NONE: HookSupersession = { followsHead: false, mayEnd: () => false };

/**
 * Whether a newer commit may end an automatic sync: nothing of it is being run, and the hooks that it waits for may be
 * cut off. Between two attempts there is no move.
 */
export function maySupersede(
  state: OperationState,
  revisions: readonly string[],
  move?: Pick<SyncPlan, 'phase' | 'groups' | 'waitsFor'>,
  hooks: HookSupersession = NONE,
): boolean {
  if (state.phase !== 'Running') return false;
  if (state.revisions.length === 0 || revisions.length === 0 || revisions.join() === state.revisions.join())
    return false;
  const { isAutomated } = state.operation;
  if (move === undefined) return isAutomated && state.finishedAt !== undefined;
  if (move.phase !== 'Running' || move.groups.some((group) => group.length > 0) || move.waitsFor.length === 0)
    return false;
  const isStuck = move.waitsFor.some(({ why }) => why === 'hook');
  if (!isAutomated && !(hooks.followsHead && isStuck)) return false;
  return move.waitsFor.every(({ why, key }) => (why === 'hook' ? hooks.mayEnd(key) : why !== 'hook-deletion'));
}

/** Whether the next sync of the head needs nobody's word: the sync is automatic, or one of everything beside it. */
export function followsHead({ operation }: OperationState, { syncPolicy }: Application): boolean {
  const { dryRun, resources, manifests } = operation.sync;
  return (
    operation.isAutomated ||
    (syncPolicy.automated !== undefined && !dryRun && resources.length === 0 && manifests.length === 0)
  );
}
