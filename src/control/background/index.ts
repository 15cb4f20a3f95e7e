/**
 * background: CONTRACT.
 */
export { toCauseView, toTriageAnswer } from './cause-view.js';
export { TriageService } from './triage-service.js';
export type { BackgroundOptions } from './worker-thread.js';
