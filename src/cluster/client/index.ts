/**
 * client: CONTRACT.
 */
export { PAGE_SIZE, connect, type ConnectOptions } from './client.js';
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
