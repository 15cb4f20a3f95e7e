/**
 * background: CONTRACT.
 */
export { TriageService } from './triage-service.js';
export type { BackgroundOptions } from './worker-thread.js';
