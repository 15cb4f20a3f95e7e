/**
 * notebook: what a NotebookValidationJob needs next. Takes the job as the cluster has it, its pods, its builds and what
 * its runner said; gives the status that must be stored, or what to do: pods to make and to delete, builds, marks for
 * waves, triggers, the summary of an application, events to tell. Never calls the cluster, never reads the clock, never
 * keeps state: everything needed to go on is in the status.
 */
export { readJob, type NotebookJob } from './job.js';
export { nextStep } from './next-step.js';
export { type JobAction, type JobFacts, type JobStep } from './step.js';
export { type LogState } from './conclude.js';
export { isOver, statusOf, timeOf, timeText, type JobStatus, type TriggerState } from './status.js';
export { hasBegun, isPodOver, lastWords } from './judge-pod.js';
export { nonceOf, ourLabelSelector, ownedBy, referencesOf } from './pod.js';
export { digest, runnerName, podName } from './names.js';
export { ReportReader, type RunReport } from './report.js';
export { waveMarks } from './waves.js';
export { triggerDue, triggerMark } from './triggers.js';
export { applicationOf, mayTell, summaryOf, wasTold, type ApplicationName } from './aggregate.js';
export {
  checkModels,
  modelKind,
  modelNames,
  modelsSince,
  modelsToAsk,
  modelsUntil,
  type ModelLook,
} from './model-check.js';
export { requestTo, type ModelAnswer, type PredictionRequest } from './prediction.js';
export { noticesOf, type Notice } from './notice.js';
