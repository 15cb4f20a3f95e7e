/**
 * notebook: what a NotebookValidationJob needs next. Takes the job as the cluster has it, its pods, its builds and what
 * its runner said; gives the status that must be stored, or what to do: pods to create and delete, builds, wave
 * annotations, triggers, the summary of an application, events. Never calls the cluster, never reads the clock, never
 * keeps state: everything needed to continue is in the status.
 */
export {
  readJob,
  type NotebookJob,
  isOver,
  statusOf,
  timeOf,
  timeText,
  type JobStatus,
  type TriggerState,
  digest,
  runnerName,
  podName,
  REFRESH,
  rerunsOnCommit,
} from './job/index.js';
export { planJob, type JobAction, type JobFacts, type JobPlan } from './plan/index.js';
export { type LogState, ReportReader, type RunReport } from './report/index.js';
export {
  hasStarted,
  isPodOver,
  terminationLines,
  nonceOf,
  ourLabelSelector,
  ownedBy,
  referencesOf,
} from './pod/index.js';
export {
  waveAnnotations,
  triggerDue,
  triggerAnnotation,
  applicationOf,
  mayReportTo,
  summaryOf,
  hasSummary,
  type ApplicationName,
  eventsOf,
  type JobEvent,
} from './effects/index.js';
export {
  checkModels,
  modelKind,
  modelNames,
  modelsSince,
  modelsToQuery,
  modelsUntil,
  type ModelFacts,
  requestTo,
  type ModelResponse,
  type PredictionRequest,
} from './models/index.js';
