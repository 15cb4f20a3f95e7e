/**
 * status: the `status` of an Application from the outcome of a reconcile, in Argo CD's format, and the patch to it.
 * Pure: takes the Application, the outcome and the time; never writes, never reads the clock.
 */
export { imagesOf } from './application-summary.js';
export { nextStatus, statusPatch, type ReconcileOutcome } from './next-status.js';
