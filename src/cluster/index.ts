/**
 * cluster: the one Kubernetes client. Takes a kubeconfig (or the pod's service account), gives requests, caches that
 * stay equal to the server, and leadership. Speaks HTTP to real and embedded servers alike.
 * A refusal of the server is a ClusterError; no answer is a Fault CLUSTER_UNREACHABLE; a lost connection of a cache
 * is a state, never an error. Every write is conditional: updates carry resourceVersion, deletes carry uid, applies
 * are server-side with the field manager `argosy`. Time, chance and environment come in as arguments.
 */
export { type Clock, type World, systemClock } from './clock.js';
export {
  type ClusterConfig,
  type UserConfig,
  type ExecPlugin,
  type Impersonation,
  type PemSource,
  type Environment,
} from './cluster-config.js';
export { loadKubeconfig, type KubeconfigOptions } from './kubeconfig.js';
export { clusterSecretConfig } from './cluster-secret.js';
export { inClusterConfig, isInCluster } from './in-cluster.js';
export { connect, type ConnectOptions } from './client.js';
export {
  type Cluster,
  type CallOptions,
  type ListOptions,
  type PageOptions,
  type Page,
  type WatchOptions,
  type WriteOptions,
  type ApplyOptions,
  type RemoveOptions,
  type Patch,
  type Table,
} from './cluster.js';
export { type ExecTarget, type ExecSession, type ExecEnd } from './exec-session.js';
export { type ResourceRef, type ResourceKind, type ObjectId, apiVersionOf, kindText } from './resource-kind.js';
export { type Discovery } from './discovery.js';
export { ClusterError, type StatusCause } from './cluster-error.js';
export { type RequestLimits } from './requester.js';
export { type WatchEvent, type WatchEnd, type WatchHandlers, type WatchLimits } from './watch-stream.js';
export { type Change } from './object-index.js';
export { WatchCache, type CacheOptions, type CacheState, type CacheStatus, type CacheTiming } from './watch-cache.js';
export { watchKinds, type Fleet, type FleetOptions, type FleetStatus, type KindStatus } from './fleet.js';
export { campaign, type Campaign, type CampaignOptions } from './leader.js';
