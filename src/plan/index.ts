/**
 * plan: what a sync does next. Takes the state of the world as plain data, gives the next steps, what they wait for and
 * what became of the operation. Never waits, never calls the cluster, never reads the clock: time comes in with the
 * input. The same input gives the same answer, so a restart goes on where the last process stopped. Beside it, what is
 * wrong before a sync begins: the order of waves, the rights of hooks, the checklist of an application.
 */
export {
  type SyncInput,
  type SyncResource,
  type Move,
  type Step,
  type StepOutcome,
  type Wait,
  type ApplyHow,
  type TaskRef,
  type Propagation,
  type ImageGateSince,
} from './move.js';
export { nextMove } from './next-move.js';
export { recordOutcomes } from './record-outcomes.js';
export {
  findAnnotationProblems,
  findWaveProblems,
  staleness,
  waitTimeoutOf,
  wasReadyOnce,
  waveImagesOf,
  waveTimeoutsOf,
} from './gate.js';
export { awaitedImages } from './image-gate.js';
export {
  checkHooks,
  hasHooksToCheck,
  type HookFinding,
  type HookQuestion,
  type ResourceName,
} from './access/hook-access.js';
export { builtImage, imageText, type ImageName, type ImageState } from './image.js';
export { OPERATION_ANNOTATION, OPERATION_PHASE_ANNOTATION } from './hook-rules.js';
export { windowsVerdict, type WindowsQuestion, type WindowsVerdict } from './sync-windows.js';
export { listWaves, type PlannedWave, type PlannedTask, type PlannedWait } from './list-waves.js';
export { checkWaves, keyIn, type WavesQuestion } from './check-waves.js';
export { type WaveProblem } from './placed.js';
export { AUTO_SYNC_SETTINGS, decideAutoSync, type AutoSync, type AutoSyncInput, type Contest } from './auto-sync.js';
export { nextRetry, resumeOperation, type Retry, type Resumption } from './retry.js';
export { maySupersede } from './supersede.js';
export {
  needsTargets,
  nextDeletion,
  wantedFinalizers,
  type DeletionInput,
  type DeletionMove,
  type DeletionStep,
} from './deletion.js';
export { dependencyVerdict, type DependencyVerdict } from './depends-on.js';
export { waveOf } from './task.js';
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
  type ChecklistQuestion,
  type LineState,
  type Unseen,
} from './checklist/question.js';
