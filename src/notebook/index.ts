/**
 * notebook: what a NotebookValidationJob needs next. Takes the job as the cluster has it, its pods, its builds and what
 * its runner said; gives the status that must be stored, or what to do: pods to make and to delete, builds, marks for
 * waves, triggers, the summary of an application, events to tell. Never calls the cluster, never reads the clock, never
 * keeps state: everything needed to go on is in the status.
 */
export { readJob, type NotebookJob } from './job/job.js';
export { planJob } from './plan/plan-job.js';
export { type JobAction, type JobFacts, type JobPlan } from './plan/job-plan.js';
export { type LogState } from './report/conclude.js';
export { isOver, statusOf, timeOf, timeText, type JobStatus, type TriggerState } from './job/status.js';
export { hasStarted, isPodOver, terminationLines } from './pod/assess-pod.js';
export { nonceOf, ourLabelSelector, ownedBy, referencesOf } from './pod/pod.js';
export { digest, runnerName, podName } from './job/names.js';
export { ReportReader, type RunReport } from './report/report.js';
export { waveAnnotations } from './effects/waves.js';
export { triggerDue, triggerAnnotation } from './effects/triggers.js';
export { applicationOf, mayReportTo, summaryOf, hasSummary, type ApplicationName } from './effects/aggregate.js';
export {
  checkModels,
  modelKind,
  modelNames,
  modelsSince,
  modelsToQuery,
  modelsUntil,
  type ModelFacts,
} from './models/model-check.js';
export { requestTo, type ModelResponse, type PredictionRequest } from './models/prediction.js';
export { eventsOf, type JobEvent } from './effects/events.js';
