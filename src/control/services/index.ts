/**
 * services: CONTRACT.
 */
export { ControlServices } from './control-services.js';
export { ChangeFeed } from './change-feed.js';
export type { CheckoutRef } from './checkouts.js';
export type { ClusterSummary } from './cluster-summary.js';
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
  type ApplicationTree,
  type ObjectLister,
  type ResourceNode,
} from './resource-tree.js';
export { applyApplicationPatch, rewriteApplication } from './rewrite-application.js';
export { syncWindowState } from './sync-windows.js';
export { type StartShell, type Terminal } from './terminal.js';
export { isSecretName } from './values.js';
