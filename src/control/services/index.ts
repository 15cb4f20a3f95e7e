/**
 * services: CONTRACT.
 */
export { ApplicationService, type Destination } from './application-service.js';
export { ChangeFeed } from './change-feed.js';
export type { CheckoutRef } from './checkouts.js';
export type { ClusterSummary } from './cluster-summary.js';
export { driftOf } from './drift.js';
export { causesOf, operationReasons, reasonsOf, shortReason, worstFirst } from './explain.js';
export { differingResources, predictSync } from './inspection-cache.js';
export { maskLive, patchLive, readLive, removeLive, type LiveResource } from './live-resource.js';
export {
  changeApplication,
  isOtherRevision,
  rollbackOperation,
  syncOperation,
  type ApplicationSyncRequest,
  withOperation,
  withTermination,
} from './operations.js';
export { checkPodLimit, followLogs, readLogs, type LogLine } from './pod-logs.js';
export { actionsOf, applyImpacts, runAction } from './resource-actions.js';
export {
  NOT_IN_TREES,
  childrenOf,
  type ApplicationTree,
  type ObjectLister,
  type ResourceNode,
} from './resource-tree.js';
export { applyApplicationPatch, rewriteApplication } from './rewrite-application.js';
export { syncWindowState } from './sync-windows.js';
export { findShell, type StartShell, type Terminal } from './terminal.js';
export { isSecretName } from './values.js';
export { wavesOf } from './waves.js';
