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
  RenderPool,
  type RenderPoolOptions,
  checkSignatures,
  type SignatureCheck,
} from './manifests/index.js';
export {
  installCrds,
  readCrds,
  type Shard,
  generate,
  inspect,
  inspectMany,
  openControlServices,
  renderLocal,
  startController,
  type DeliveryOptions,
  type StartOptions,
  type RunningController,
  type OpenControlServices,
} from './controller/index.js';
export { excludedObjects, exclusionAdvice, type ExcludedObject } from './comparison/index.js';
export type { InspectOptions, LocalFiles, Inspection, InspectedResource } from './inspect/index.js';
export {
  ControlServices,
  changeApplication,
  isOtherRevision,
  rollbackOperation,
  syncOperation,
  withTermination,
  withOperation,
  type ApplicationSyncRequest,
  applyApplicationPatch,
  rewriteApplication,
  maskLive,
  patchLive,
  removeLive,
  type LiveResource,
  applyImpacts,
  type StartShell,
  type Terminal,
  readLogs,
  checkPodLimit,
  type LogLine,
  differingResources,
  predictSync,
  causesOf,
  operationReasons,
  shortReason,
  worstFirst,
  syncWindowState,
  type ClusterSummary,
  childrenOf,
  NOT_IN_TREES,
  type ApplicationTree,
  type ObjectLister,
  type ResourceNode,
} from './services/index.js';
export { instanceName } from './delivery/index.js';
export { toCauseView, toTriageAnswer, TriageService, type BackgroundOptions } from './background/index.js';
export {
  BUILT_IN,
  Enforcer,
  type AccessDecision,
  type AccessRequest,
  isBroken,
  readPolicy,
  type BrokenPolicy,
  readRbacConfig,
  type RbacConfig,
  ACTIONS,
  PROJECT_SCOPED,
  RESOURCES,
  type RbacResource,
} from './rbac/index.js';
export { APPLICATIONS, APPLICATION_SETS, CONFIG_MAPS, PROJECTS, SECRETS } from './cache/index.js';
export { type RepositoryEntry } from '../source/index.js';
export { ClusterError, type Change as ApplicationChange, type Cluster, type ResourceRef } from '../cluster/index.js';
export {
  collectFiles,
  type CollectFilesOptions,
  collectApplication,
  type ApplicationSurroundings,
  collectCluster,
  openTriage,
  openWhatIf,
  gitDiff,
  makePatches,
  type Expect,
  type FilePatch,
  type PatchSet,
  type Checkout,
} from './triage/index.js';
export { adviseDrift, advisedApplication, onRevision, retargeted, type DriftAdvice } from './drift/index.js';
