/**
 * control: the order of things. Combines rooms that do not know each other: delivers Applications from git to clusters
 * (`delivery/application.ts` is the line that everything follows), and looks at one without changing anything.
 * Takes a cluster, a data directory and the opened rooms. Writes only conditionally, so a second controller does no
 * harm.
 * Never holds state of its own that matters: caches can be thrown away at any time.
 */
export {
  renderManifests,
  type RenderManifestsRequest,
  type RenderedManifests,
  type RenderedSource,
  type Renderer,
} from './manifests/render-manifests.js';
export { RenderPool, type RenderPoolOptions } from './manifests/render-pool.js';
export { installCrds, readCrds } from './controller/install-crds.js';
export { excludedObjects, exclusionAdvice, type ExcludedObject } from './comparison/exclusion-advice.js';
export { type InspectOptions } from './inspect/inspect-application.js';
export { type LocalFiles } from './inspect/local-manifests.js';
export { type Inspection, type InspectedResource } from './inspect/inspection.js';
export { ApplicationService, type Destination } from './services/application-service.js';
export {
  changeApplication,
  isOtherRevision,
  rollbackOperation,
  syncOperation,
  withTermination,
  withOperation,
  type ApplicationSyncRequest,
} from './services/operations.js';
export { applyApplicationPatch, rewriteApplication } from './services/rewrite-application.js';
export { maskLive, patchLive, readLive, removeLive, type LiveResource } from './services/live-resource.js';
export { actionsOf, applyImpacts, runAction } from './services/resource-actions.js';
export { findShell, type StartShell, type Terminal } from './services/terminal.js';
export { followLogs, readLogs, checkPodLimit, type LogLine } from './services/pod-logs.js';
export { differingResources, predictSync } from './services/inspection-cache.js';
export { instanceName } from './delivery/admit.js';
export { causesOf, operationReasons, reasonsOf, shortReason, worstFirst } from './services/explain.js';
export { toCauseView, toTriageAnswer } from './background/cause-view.js';
export { driftOf } from './services/drift.js';
export { wavesOf } from './services/waves.js';
export { BUILT_IN } from './rbac/built-in-policy.js';
export { Enforcer, type AccessDecision, type AccessRequest } from './rbac/enforcer.js';
export { isBroken, readPolicy, type BrokenPolicy } from './rbac/policy.js';
export { readRbacConfig, type RbacConfig } from './rbac/rbac-config.js';
export { ACTIONS, PROJECT_SCOPED, RESOURCES, type RbacResource } from './rbac/vocabulary.js';
export { TriageService } from './background/triage-service.js';
export { type BackgroundOptions } from './background/worker-thread.js';
export { syncWindowState } from './services/sync-windows.js';
export { APPLICATIONS, APPLICATION_SETS, CONFIG_MAPS, PROJECTS, SECRETS } from './cache/control-plane-cache.js';
export { type ClusterSummary } from './services/cluster-summary.js';
export { type RepositoryEntry } from '../source/index.js';
export {
  childrenOf,
  NOT_IN_TREES,
  type ApplicationTree,
  type ObjectLister,
  type ResourceNode,
} from './services/resource-tree.js';
export { ClusterError, type Change as ApplicationChange, type Cluster, type ResourceRef } from '../cluster/index.js';
export { type Shard } from './controller/shards.js';
export {
  generate,
  inspect,
  inspectMany,
  openApplicationService,
  renderLocal,
  startController,
  type DeliveryOptions,
  type StartOptions,
  type RunningController,
  type OpenApplicationService,
} from './controller/start-controller.js';
export { checkSignatures, type SignatureCheck } from './manifests/check-signatures.js';
export { collectFiles, type CollectFilesOptions } from './triage/collect-files.js';
export { collectApplication, type ApplicationSurroundings } from './triage/collect-application.js';
export { collectCluster } from './triage/collect-cluster.js';
export { openTriage, openWhatIf } from './triage/open-triage.js';
export { gitDiff, makePatches, type Expect, type FilePatch, type PatchSet } from './triage/fix/make-patches.js';
export { type Checkout } from './triage/fix/checkout.js';
export { adviseDrift, advisedApplication, onRevision, retargeted, type DriftAdvice } from './drift/advise-drift.js';
