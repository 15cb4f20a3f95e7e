/**
 * delivery: CONTRACT.
 */
export { admitApplication, effectiveProject, instanceName, type Admitted } from './admission.js';
export { checkHookPermissions } from './hook-permissions.js';
export {
  REFRESH_ANNOTATION,
  openReconcileContext,
  type ChangeHandler,
  type OpenReconcileContext,
  type ReconcileContextOptions,
} from './open-reconcile-context.js';
export { plannedInput } from './operate.js';
export { orphansOf } from './orphans.js';
export type { Assess, ReconcileContext } from './reconcile-context.js';
export { ReconcileState } from './reconcile-state.js';
export { reconcile } from './reconcile.js';
export {
  compare,
  openReconciliation,
  renderHead,
  renderPinned,
  type Reconciliation,
  useGivenManifests,
} from './reconciliation.js';
