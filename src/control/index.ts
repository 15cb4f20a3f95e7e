/**
 * control: delivers Applications from git to clusters, and answers questions about them without changing anything. The
 * room where the others meet: it fetches, renders, compares, plans and applies with rooms that do not know each other.
 * Takes a cluster, a data directory and a catalogue of health checks; gives a running controller, or `ControlServices`
 * with one service for each subject (applications, projects, repositories, clusters, settings, resources, pods,
 * inspections). Writes are conditional, so a second controller does no harm. Never holds state that matters: every
 * cache can be thrown away at any time.
 */
export { loadCatalogue, readCatalogueFiles } from './catalogue/index.js';
export {
  renderManifests,
  type Renderer,
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
  type OpenControlServices,
} from './controller/index.js';
export type { InspectOptions, LocalFiles, Inspection, InspectedResource } from './inspect/index.js';
export {
  ControlServices,
  changeApplication,
  listEventsAbout,
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
  readLogs,
  checkPodLimit,
  type LogLine,
  differingResources,
  predictSync,
  operationReasons,
  shortReason,
  worstFirst,
  syncWindowState,
  rotateAccountToken,
  tokenOf,
  tokenSecret,
  type ClusterSummary,
  childrenOf,
  NOT_IN_TREES,
  type ObjectLister,
} from './services/index.js';
export { instanceName } from './delivery/index.js';
export { TriageService, type BackgroundOptions } from './background/index.js';
export { type RepositoryEntry, type RepositorySecretType } from '../source/index.js';
export { ClusterError, type Change as ApplicationChange, type Cluster } from '../cluster/index.js';
export {
  collectFiles,
  collectPrometheus,
  locateFields,
  type CollectFilesOptions,
  collectApplication,
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
