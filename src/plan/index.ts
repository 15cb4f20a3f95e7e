/**
 * plan: what a sync does next. Takes the state of the world as plain data, gives the next steps, what they wait for and
 * what became of the operation. Never waits, never calls the cluster, never reads the clock: time comes in with the
 * input. The same input gives the same answer, so a restart goes on where the last process stopped. Beside it, what is
 * wrong before a sync begins: the order of waves, the rights of hooks, the checklist of an application.
 */
export {
  type SyncInput,
  type SyncResource,
  type SyncPlan,
  type SyncStep,
  type StepOutcome,
  type Wait,
  type ApplyOptions,
  type TaskRef,
  type Propagation,
  type ImageGateSince,
} from './sync/sync-plan.js';
export { planSync } from './sync/plan-sync.js';
export { recordOutcomes } from './sync/record-outcomes.js';
export {
  findAnnotationErrors,
  findApplicationAnnotationErrors,
  staleness,
  waitTimeoutOf,
  wasReadyOnce,
  waveImagesOf,
  waveTimeoutsOf,
} from './sync/gate.js';
export { awaitedImages } from './sync/image-gate.js';
export {
  checkHooks,
  hasHooksToCheck,
  type HookFinding,
  type HookCheckInput,
  type ResourceName,
} from './access/check-hooks.js';
export { builtImage, imageText, type ImageName, type ImageState } from './sync/image.js';
export { OPERATION_ANNOTATION, OPERATION_PHASE_ANNOTATION } from './sync/hook-rules.js';
export { evaluateSyncWindows, type SyncWindowsInput, type SyncWindowsDecision } from './policy/sync-windows.js';
export { listWaves, type PlannedWave, type PlannedTask, type PlannedWait } from './sync/list-waves.js';
export { checkWaves, keyIn, type WaveCheckInput } from './waves/check-waves.js';
export { type WaveViolation } from './waves/placed-object.js';
export {
  AUTO_SYNC_SETTINGS,
  decideAutoSync,
  type AutoSyncDecision,
  type AutoSyncInput,
  type FieldConflict,
} from './policy/auto-sync.js';
export { nextRetry, resumeOperation, type RetryDecision, type Resumption } from './policy/retry.js';
export { maySupersede } from './policy/supersede.js';
export {
  needsTargets,
  planDeletion,
  wantedFinalizers,
  type DeletionInput,
  type DeletionPlan,
  type DeletionStep,
} from './policy/plan-deletion.js';
export { checkDependencies, type DependencyState } from './policy/depends-on.js';
export { waveOf } from './sync/task.js';
export {
  checkApplication,
  countLines,
  CHECKLIST_RULES,
  type ChecklistLine,
  type ChecklistRule,
} from './checklist/check-application.js';
export { secretFields } from './checklist/secret-rules.js';
export {
  type CheckedObject,
  type ChecklistPolicy,
  type ChecklistInput,
  type LineState,
  type UnknownObjects,
} from './checklist/checklist-input.js';
