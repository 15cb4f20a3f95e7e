/**
 * cluster: the one Kubernetes client. Takes a kubeconfig (or the pod's service account), gives requests, caches that
 * stay equal to the server, and leadership. Speaks HTTP to real and embedded servers alike. An error response of the
 * server is a ClusterError; no answer is a Fault CLUSTER_UNREACHABLE; a lost connection of a cache is a state, never an
 * error. Every write is conditional: updates carry resourceVersion, deletes carry uid, applies are server-side with the
 * field manager `argosy`. Time, chance and environment come in as arguments.
 */
export { type Clock, type ClientDependencies, pause, systemClock } from './timing/index.js';
export {
  type ClusterConfig,
  type UserConfig,
  type ExecPlugin,
  type Impersonation,
  type PemSource,
  type Environment,
  loadKubeconfig,
  type KubeconfigOptions,
  clusterSecretConfig,
  inClusterConfig,
  isInCluster,
} from './config/index.js';
export {
  connect,
  type ConnectOptions,
  type WrittenChange,
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
  type ExecTarget,
  type ExecSession,
  type ExecEnd,
  type ResourceKind,
  type ObjectId,
  apiVersionOf,
  kindText,
  type Discovery,
  type WatchEvent,
  type WatchEnd,
  type WatchHandlers,
  type WatchLimits,
} from './client/index.js';
export { ClusterError, type StatusCause, type RequestLimits } from './transport/index.js';
export {
  type Change,
  WatchCache,
  type CacheOptions,
  type CacheState,
  type CacheStatus,
  type CacheTiming,
  watchKinds,
  type CacheSet,
  type CacheSetOptions,
  type CacheSetStatus,
  type KindStatus,
} from './cache/index.js';
export { follow } from './follow.js';
export { startLeaderElection, type LeaderElection, type LeaderElectionOptions } from './leader-election.js';
