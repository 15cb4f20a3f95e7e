import type { OperationState } from '../../model/argo/index.js';
import type { SyncPlan } from '../sync/index.js';

/**
 * Whether a newer commit may end an automatic sync: nothing of it is being run, and what it waits for is no hook, whose
 * work would be cut off. Between two attempts there is no move.
 */
export function maySupersede(
  state: OperationState,
  revisions: readonly string[],
  move?: Pick<SyncPlan, 'phase' | 'groups' | 'waitsFor'>,
): boolean {
  if (state.phase !== 'Running' || !state.operation.isAutomated) return false;
  if (state.revisions.length === 0 || revisions.length === 0 || revisions.join() === state.revisions.join())
    return false;
  if (move === undefined) return state.finishedAt !== undefined;
  if (move.phase !== 'Running' || move.groups.some((group) => group.length > 0) || move.waitsFor.length === 0)
    return false;
  return move.waitsFor.every(({ why }) => why !== 'hook' && why !== 'hook-deletion');
}
