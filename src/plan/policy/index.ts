/**
 * policy: whether an application syncs, retries, waits for others or is deleted now. Takes state and the time; gives a
 * decision with its reason. Starts no timer and performs no step.
 */
export {
  AUTO_SYNC_SETTINGS,
  decideAutoSync,
  type AutoSyncDecision,
  type AutoSyncInput,
  type FieldConflict,
} from './auto-sync.js';
export { checkDependencies, type DependencyState } from './depends-on.js';
export {
  needsTargets,
  planDeletion,
  type DeletionInput,
  type DeletionPlan,
  type DeletionStep,
  wantedFinalizers,
} from './plan-deletion.js';
export { nextRetry, resumeOperation, type Resumption, type RetryDecision } from './retry.js';
export { followsHead, maySupersede } from './supersede.js';
export { evaluateSyncWindows, type SyncWindowsDecision, type SyncWindowsInput } from './sync-windows.js';
