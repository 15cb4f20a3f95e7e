/**
 * delivery: reconciles one Application. `reconcile-application.ts` lists its sub-reconcilers in order and says what
 * each result and Fault causes.
 * Takes an Application, what is remembered of it (`ReconcileMemory`) and the context that all reconciles share; writes
 * the status of the Application and the objects of its destination, and says when to reconcile again.
 * Its parts also render and compare without writing, for those who only inspect. Never decides which application is
 * next and never watches: that is the controller's.
 */
export { admitApplication, effectiveProject, instanceName, violationIn, type Admitted } from './admission.js';
export { compareTargets } from './compare-targets.js';
export { deliveryRights, requireRights } from './delivery-rights.js';
export { checkHookPermissions } from './hook-permissions.js';
export {
  openReconcileContext,
  type ChangeHandler,
  type OpenReconcileContext,
  type ReconcileContextOptions,
} from './open-reconcile-context.js';
export { orphansOf } from './orphans.js';
export { reconcileApplication } from './reconcile-application.js';
export { REFRESH_ANNOTATION, type Assess, type ReconcileContext } from './reconcile-context.js';
export { ReconcileMemory } from './reconcile-memory.js';
export { openReconciliation, type Reconciliation } from './reconciliation.js';
export { renderHead, renderRevisions, revisionsOf, useGivenManifests, type RenderedTargets } from './render-targets.js';
export { plannedInput } from './sync-input.js';
