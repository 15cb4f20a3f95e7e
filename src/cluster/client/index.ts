/**
 * client: typed requests to one API server as one user: get, list, watch, create, apply, patch, delete, discovery,
 * tables, logs and exec. Takes a ClusterConfig and the client's dependencies. Applies are server-side, deletes carry
 * the uid; error messages never quote values of a Secret.
 */
export { PAGE_SIZE, connect, type ConnectOptions, type WrittenChange } from './client.js';
export type {
  ApplyOptions,
  CallOptions,
  Cluster,
  ListOptions,
  Page,
  PageOptions,
  Patch,
  RemoveOptions,
  Table,
  WatchOptions,
  WriteOptions,
} from './cluster.js';
export type { Discovery } from './discovery.js';
export type { ExecEnd, ExecSession, ExecTarget } from './exec-session.js';
export { apiVersionOf, kindText, type ObjectId, type ResourceKind } from './resource-kind.js';
export { WATCH_LIMITS, type WatchEnd, type WatchEvent, type WatchHandlers, type WatchLimits } from './watch-stream.js';
