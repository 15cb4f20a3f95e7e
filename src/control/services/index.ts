/**
 * services: what the API and the CLI may ask of a control plane. `ControlServices` has one service for each
 * subject; the functions beside it work on objects that the caller has read itself. Takes a reconcile context.
 * Reads come from its caches; writes are single, conditional writes to the cluster of the control plane or of the
 * destination.
 */
export { rotateAccountToken, tokenOf, tokenSecret } from './account-token.js';
export { ControlServices } from './control-services.js';
export { ChangeFeed } from './change-feed.js';
export type { CheckoutRef } from './checkouts.js';
export type { ClusterSummary } from './cluster-summary.js';
export { listEventsAbout } from './events-about.js';
export { operationReasons, shortReason, worstFirst } from './explain.js';
export { differingResources, predictSync } from './inspection-cache.js';
export { maskLive, patchLive, removeLive, type LiveResource } from './live-resource.js';
export {
  changeApplication,
  isOtherRevision,
  rollbackOperation,
  syncOperation,
  type ApplicationSyncRequest,
  withOperation,
  withTermination,
} from './operations.js';
export { checkPodLimit, readLogs, type LogLine } from './pod-logs.js';
export { applyImpacts } from './resource-actions.js';
export {
  NOT_IN_TREES,
  childrenOf,
  type ObjectLister,
} from './resource-tree.js';
export { applyApplicationPatch, rewriteApplication } from './rewrite-application.js';
export { syncWindowState } from './sync-windows.js';
export type { StartShell } from './terminal.js';
export { isSecretName } from './values.js';
