/**
 * control: the order of things. Combines rooms that do not know each other: delivers Applications from git to clusters
 * (`delivery/application.ts` is the line that everything follows), and looks at one without changing anything.
 * Takes a cluster, a data directory and the opened rooms. Writes only conditionally, so a second controller does no
 * harm.
 * Never holds state of its own that matters: caches can be thrown away at any time.
 */
export {
  makeManifests,
  type MakeRequest,
  type MadeManifests,
  type MadeSource,
  type Workshop,
} from './make-manifests.js';
export { RenderPool, type RenderPoolOptions } from './render-pool.js';
export { installCrds, readCrds } from './install-crds.js';
export { excludedObjects, exclusionAdvice, type ExcludedObject } from './exclusion-advice.js';
export { type LookOptions } from './inspect.js';
export { type LocalFiles } from './local-manifests.js';
export { type Inspection, type InspectedResource } from './inspection.js';
export { FrontDesk, type Destination } from './front/front-desk.js';
export {
  changeApplication,
  isOtherRevision,
  rollbackOperation,
  syncOperation,
  terminated,
  withOperation,
  type SyncWish,
} from './front/operations.js';
export { patchedApplication, rewritten } from './front/rewrite-application.js';
export { masked, patchLive, readLive, removeLive, type LiveResource } from './front/live-resource.js';
export { actionsOf, carryOutImpacts, runAction } from './front/resource-actions.js';
export { findShell, type StartShell, type Terminal } from './front/terminal.js';
export { followLogs, readLogs, refuseMany, type LogLine } from './front/pod-logs.js';
export { differing, predicted } from './front/inspections.js';
export { instanceName } from './delivery/admit.js';
export { causesOf, operationReasons, reasonsOf, shortReason, worstFirst } from './front/explain.js';
export { toldCause, toldReport } from './front/told-cause.js';
export { driftOf } from './front/drift.js';
export { wavesOf } from './front/waves.js';
export { BUILT_IN } from './rbac/built-in-policy.js';
export { Enforcer, type Verdict, type Wish } from './rbac/enforcer.js';
export { isBroken, readPolicy, type BrokenPolicy } from './rbac/policy.js';
export { readRbacConfig, type RbacConfig } from './rbac/rbac-config.js';
export { ACTIONS, PROJECT_SCOPED, RESOURCES, type RbacResource } from './rbac/vocabulary.js';
export { TriageDesk } from './side/triage-desk.js';
export { type SideOptions } from './side/side-thread.js';
export { windowsNow } from './front/windows.js';
export { APPLICATIONS, APPLICATION_SETS, CONFIG_MAPS, PROJECTS, SECRETS } from './delivery/home.js';
export { type ClusterSummary } from './front/cluster-summary.js';
export { type RepositoryEntry } from '../source/index.js';
export {
  childrenOf,
  NOT_IN_TREES,
  type ApplicationTree,
  type KnownObjects,
  type ResourceNode,
} from './front/resource-tree.js';
export { ClusterError, type Change as ApplicationChange, type Cluster, type ResourceRef } from '../cluster/index.js';
export { type Shard } from './delivery/shards.js';
export {
  generate,
  inspect,
  inspectMany,
  openFront,
  renderLocal,
  startController,
  type DeliveryOptions,
  type StartOptions,
  type RunningController,
  type OpenFront,
} from './start-controller.js';
export { checkSignatures, type SignatureCheck } from './check-signatures.js';
export { collectFiles, type CollectFilesOptions } from './triage/collect-files.js';
export { collectApplication, type ApplicationSurroundings } from './triage/collect-application.js';
export { collectCluster } from './triage/collect-cluster.js';
export { openTriage, openWhatIf } from './triage/open-triage.js';
export { gitDiff, makePatches, type Expect, type FilePatch, type PatchSet } from './triage/fix/make-patches.js';
export { type Checkout } from './triage/fix/checkout.js';
export { adviseDrift, advisedApplication, onRevision, retargeted, type DriftAdvice } from './drift/advise-drift.js';
