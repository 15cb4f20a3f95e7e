import type { Json, JsonArray, JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Discovery } from './discovery.js';
import type { Impersonation } from '../config/index.js';
import type { ObjectId } from './resource-kind.js';
import type { ResourceRef } from '../../model/resources/index.js';
import type { ExecSession, ExecTarget } from './exec-session.js';
import type { RequestLimits } from '../transport/index.js';
import type { WatchEnd, WatchHandlers, WatchLimits } from './watch-stream.js';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<RequestLimits>;
}

export interface ListOptions extends CallOptions {
  /** One namespace; without it all. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects a page; 0 for all in one. */
  readonly pageSize?: number;
}

export interface PageOptions extends ListOptions {
  readonly continue?: string | undefined;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface Page {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** Token of the next page; empty at the end. */
  readonly continue: string;
}

/** What `kubectl get` prints. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly namespace: string; readonly name: string; readonly cells: readonly Json[] }[];
}

export interface WatchOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion: string;
  /** The server ends the stream after this long. */
  readonly seconds?: number;
  readonly limits?: Partial<WatchLimits>;
}

export interface WriteOptions extends CallOptions {
  /** The server answers as if it wrote, and does not. */
  readonly dryRun?: boolean;
  readonly subresource?: string;
  /** What the server does with fields that the schema does not know; by default it warns. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields from other managers instead of failing with a conflict. */
  readonly force?: boolean;
  /** Refused with 422 where the live object is another one, or with 404/409 where there is none. */
  readonly uid?: string;
}

export interface RemoveOptions extends CallOptions {
  readonly uid: string;
  readonly resourceVersion?: string;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly body: JsonObject }
  | { readonly type: 'json'; readonly body: JsonArray };

/**
 * One API server, as one user. Objects are as the server gave them and belong to the caller. An error response is a
 * ClusterError, no answer a Fault CLUSTER_UNREACHABLE. What may be sent twice is sent again by itself, with full
 * jitter, and Retry-After is obeyed.
 */
export interface Cluster {
  readonly server: string;
  readonly context: string;
  readonly namespace: string;
  discover(): Promise<Discovery>;
  get(
    kind: ResourceRef,
    id: ObjectId,
    options?: CallOptions & { readonly subresource?: string },
  ): Promise<KubeObject | undefined>;
  /** Everything, page by page inside. A list that expires meanwhile is read again in one piece. */
  list(
    kind: ResourceRef,
    options?: ListOptions,
  ): Promise<{ readonly items: KubeObject[]; readonly resourceVersion: string }>;
  page(kind: ResourceRef, options?: PageOptions): Promise<Page>;
  /** The objects of a kind as rows; the columns are the server's. */
  table(
    kind: ResourceRef,
    options?: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector' | 'signal' | 'limits'>,
  ): Promise<Table>;
  create(kind: ResourceRef, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** Replaces; the object must carry the resourceVersion that it was read with. */
  update(kind: ResourceRef, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(kind: ResourceRef, id: ObjectId, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  /** Server-side apply as field manager `argosy`. */
  apply(kind: ResourceRef, object: KubeObject, options?: ApplyOptions): Promise<KubeObject>;
  /** Deletes exactly the object with this uid; one that is gone already is fine. */
  remove(kind: ResourceRef, id: ObjectId, options: RemoveOptions): Promise<'gone' | 'deleting'>;
  /** One stream of events; ends when it ends. WatchCache is what survives faults. */
  watch(kind: ResourceRef, options: WatchOptions, handlers: WatchHandlers, signal: AbortSignal): Promise<WatchEnd>;
  /** GET of a JSON document, such as `/version` or an OpenAPI page. */
  document(path: string, options?: CallOptions): Promise<Json>;
  /** GET of text, such as a pod's log. */
  text(path: string, options?: CallOptions): Promise<string>;
  /**
   * POST of JSON to whatever is behind the server, such as `services/NAME/proxy`; never sent twice. The answer as text.
   */
  post(path: string, body: string, options?: CallOptions): Promise<string>;
  /**
   * GET of text that goes on, such as the log of a pod that runs: each line as it comes, until the server ends it or
   * `signal` aborts.
   */
  lines(path: string, take: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Starts a program with a terminal in a container that runs; `take` gets what it writes. */
  exec(target: ExecTarget, take: (bytes: Buffer) => void): Promise<ExecSession>;
  /**
   * The same server over the same connections, with the rights of another user: every request names it, in place of one
   * that the configuration names. Closing it closes nothing.
   */
  as(user: Impersonation): Cluster;
  close(): Promise<void>;
}
