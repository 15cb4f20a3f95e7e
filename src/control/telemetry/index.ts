/**
 * telemetry: metrics with the names of Argo CD, and Kubernetes events. Takes numbers and occurrences; gives the
 * text for Prometheus and writes events, repeated ones as a count. Never fails its caller.
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
export { registerAuditMetrics } from './audit-metrics.js';
export { AuditTrail, auditName, findRefused, type AuditDetail } from './audit-trail.js';
export { EventRecorder } from './event-recorder.js';
export { Metrics } from './metrics.js';
