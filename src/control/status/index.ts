/**
 * status: CONTRACT.
 */
export { imagesOf } from './application-summary.js';
export { nextStatus, statusPatch, type ReconcileOutcome } from './next-status.js';
