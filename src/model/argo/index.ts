/**
 * argo: Argo CD's objects and their parsers: Application, its sources, operation and history, AppProject and its rules,
 * cluster Secrets, health, hooks, accepted deviations. Takes JSON; gives typed values or a Fault that names the field.
 */
export { DEVIATIONS, acceptedDeviations, currentDeviations, readAcceptance } from './accepted-deviation.js';
export {
  DEFAULT_PROJECT_SPEC,
  mergeGlobalProjects,
  parseAppProject,
  type AppProject,
  type SignaturePolicy,
  type SyncWindow,
} from './app-project.js';
export {
  idOf,
  isAutomated,
  isDeliveredHere,
  projectOf,
  qualifiedName,
  serverOf,
  type ApplicationId,
} from './application-facts.js';
export {
  parseApplicationSource,
  type ApplicationSource,
  type DirectorySettings,
  type HelmSettings,
  type JsonnetVariable,
} from './application-source.js';
export {
  parseApplication,
  readIgnoreRule,
  type Application,
  type Destination,
  type IgnoreRule,
  type SyncStatus,
} from './application.js';
export {
  WHOLE_CLUSTER,
  clusterSecretName,
  findScopeViolation,
  isKindInScope,
  readClusterFacts,
  readClusterSecret,
  readClusterSecrets,
  type ClusterFacts,
  type ClusterRecord,
  type ClusterScope,
  withoutLastApplied,
} from './cluster-secret.js';
export { HEALTH_STATUSES, isHealthStatus, type Health, type HealthStatus, worseHealth } from './health.js';
export { HOOK_FINALIZER, hookTypes, isHook, isSkipped } from './hook.js';
export {
  SYNC_PHASES,
  isCompleted,
  readOperation,
  readOperationState,
  type Operation,
  type OperationPhase,
  type OperationState,
  type ResourceResult,
  type ResultCode,
  type SyncPhase,
  type SyncRequest,
} from './operation.js';
export {
  findDestinationViolation,
  findNamespaceViolation,
  findObjectViolation,
  findSourceViolation,
  isIgnoredOrphan,
  type ClusterDestination,
} from './project-violations.js';
export {
  findSignatureViolation,
  signatureRequirement,
  type RevisionSignature,
  type SignatureStatus,
} from './signature-policy.js';
export { requireSyncAccounts, syncAccountOf } from './sync-account.js';
export { hasManySources, sourceFieldsOf, sourcesOf, type SourceField } from './sources.js';
export { ARGO_CD_VERSION } from './version.js';
