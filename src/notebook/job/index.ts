/**
 * job: a NotebookValidationJob as it is read: spec, status, names of what it creates, reasons of failure. Gives typed
 * values with defaults, and violations of the spec.
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
  rerunsOnCommit,
  REFRESH,
  runIdOf,
  runnerName,
  streamName,
} from './names.js';
export { withoutEmpty } from './without-empty.js';
export {
  PHASES,
  SIMULATED_KERNEL,
  isOver,
  isSimulated,
  statusOf,
  timeOf,
  timeText,
  type BuildState,
  type CellResult,
  type JobStatus,
  type TriggerState,
} from './status.js';
export { validateSpec } from './validate-spec.js';
