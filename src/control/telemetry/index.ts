/**
 * telemetry: CONTRACT.
 */
export {
  countGitRequest,
  countReconcile,
  countRequest,
  countSync,
  registerApplicationMetrics,
  serverOf,
  type SyncApiRequest,
} from './application-metrics.js';
export { EventRecorder } from './event-recorder.js';
export { Metrics } from './metrics.js';
