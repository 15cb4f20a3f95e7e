/**
 * job: CONTRACT.
 */
export { failure, type Failure, type FailureReason } from './failure.js';
export { readJob, type BuildSpec, type GitNotebook, type NotebookJob } from './job.js';
export {
  ATTEMPT,
  RERUN_ON_CHANGE,
  RUN,
  buildName,
  digest,
  labelValue,
  podName,
  rerunOf,
  runIdOf,
  runnerName,
  streamName,
} from './names.js';
export { withoutEmpty } from './without-empty.js';
export {
  PHASES,
  isOver,
  statusOf,
  timeOf,
  timeText,
  type BuildState,
  type CellResult,
  type JobStatus,
  type TriggerState,
} from './status.js';
export { validateSpec } from './validate-spec.js';
