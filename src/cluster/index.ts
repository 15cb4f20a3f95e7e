/**
 * cluster: the one Kubernetes client. Takes a kubeconfig (or the pod's service account), gives requests, caches that
 * stay equal to the server, and leadership. Speaks HTTP to real and embedded servers alike.
 * A refusal of the server is a ClusterError; no answer is a Fault CLUSTER_UNREACHABLE; a lost connection of a cache
 * is a state, never an error. Every write is conditional: updates carry resourceVersion, deletes carry uid, applies
 * are server-side with the field manager `argosy`. Time, chance and environment come in as arguments.
 */
export { type Clock, type ClientDependencies, systemClock } from './timing/clock.js';
export {
  type ClusterConfig,
  type UserConfig,
  type ExecPlugin,
  type Impersonation,
  type PemSource,
  type Environment,
} from './config/cluster-config.js';
export { loadKubeconfig, type KubeconfigOptions } from './config/kubeconfig.js';
export { clusterSecretConfig } from './config/cluster-secret.js';
export { inClusterConfig, isInCluster } from './config/in-cluster.js';
export { connect, type ConnectOptions } from './client/client.js';
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
} from './client/cluster.js';
export { type ExecTarget, type ExecSession, type ExecEnd } from './client/exec-session.js';
export { type ResourceRef, type ResourceKind, type ObjectId, apiVersionOf, kindText } from './client/resource-kind.js';
export { type Discovery } from './client/discovery.js';
export { ClusterError, type StatusCause } from './transport/cluster-error.js';
export { type RequestLimits } from './transport/rest-client.js';
export { type WatchEvent, type WatchEnd, type WatchHandlers, type WatchLimits } from './client/watch-stream.js';
export { type Change } from './cache/object-index.js';
export {
  WatchCache,
  type CacheOptions,
  type CacheState,
  type CacheStatus,
  type CacheTiming,
} from './cache/watch-cache.js';
export {
  watchKinds,
  type CacheSet,
  type CacheSetOptions,
  type CacheSetStatus,
  type KindStatus,
} from './cache/cache-set.js';
export { startLeaderElection, type LeaderElection, type LeaderElectionOptions } from './leader-election.js';
