/**
 * sync: the next steps of one operation: phases, waves, hooks, gates and pruning. Takes targets, live objects, health
 * and results so far; gives steps to run, results and what is waited for. Holds no state between calls.
 */
export {
  blockWaveOf,
  findAnnotationErrors,
  findApplicationAnnotationErrors,
  staleness,
  waitTimeoutOf,
  wasReadyOnce,
  waveImagesOf,
  waveTimeoutsOf,
} from './gate.js';
export { OPERATION_ANNOTATION, OPERATION_PHASE_ANNOTATION, deletePoliciesOf, syncPhasesOf } from './hook-rules.js';
export { awaitedImages, imagesNamed } from './image-gate.js';
export { builtImage, imageText, podImages, type ImageName, type ImageState } from './image.js';
export { listWaves, type PlannedTask, type PlannedWait, type PlannedWave } from './list-waves.js';
export { annotationOf, optionValue, wordsOf } from './options.js';
export { crdKind, kindName } from './order-tasks.js';
export { planSync } from './plan-sync.js';
export { awaitedHooks } from './wait.js';
export { podReferences, podSpecOf, type PodReference } from './pod-references.js';
export { recordOutcomes } from './record-outcomes.js';
export type {
  ApplyOptions,
  HookReason,
  ImageGateSince,
  Propagation,
  StepOutcome,
  SyncInput,
  SyncPlan,
  SyncResource,
  SyncStep,
  TaskRef,
  Wait,
} from './sync-plan.js';
export { isCrd, waveOf } from './task.js';
