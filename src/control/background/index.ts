/**
 * background: work that would block the thread of the API. Gives triage of the control plane's cluster with
 * patches, and evaluation of health checks, each in a worker thread with a timeout. Takes `ControlServices`. Never
 * writes anything.
 */
export { TriageService } from './triage-service.js';
export type { BackgroundOptions } from './worker-thread.js';
