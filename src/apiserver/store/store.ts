import type { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/**
 * What the API server keeps: one body of JSON text per key, numbered by revision. Reads and watches see only what is
 * durable; writers compare with `head`, which also has the writes that are on their way to disk.
 */
export interface Store {
  /** The revision of the newest durable write; 1 before the first, because 0 means "any" in the Kubernetes API. */
  readonly revision: number;
  /** A watch may start from this revision or a later one; what came before is forgotten. */
  readonly compacted: number;
  get(key: string): Stored | undefined;
  head(key: string): Stored | undefined;
  /** Durable entries under a prefix, ordered by key; `after` continues behind a key. */
  range(prefix: string, options?: { readonly after?: string; readonly limit?: number }): Stored[];
  /** The newest state under a prefix, with the writes that are on their way; ordered by key. */
  heads(prefix: string): Stored[];
  /** How many durable entries there are under a prefix. */
  count(prefix: string): number;
  /**
   * Writes one key if its head still is `expect`, the very entry that this store gave (undefined: absent), else rejects
   * with StaleWrite at once. `build` runs synchronously, gets the revision that the write will have, and returns the
   * object to keep; the store keeps a copy of its top level and metadata with metadata.resourceVersion set, and shares
   * the rest: do not change it later.
   * Resolves when the write is durable and visible to readers. Rejects with Fault STORE_WRITE when the disk refused;
   * then every write that was in flight is rejected, and `head` is what is durable again.
   */
  write(key: string, expect: Stored | undefined, build: (revision: number) => KubeObject): Promise<Stored>;
  /** Deletes; `build` returns the object's last state, which watchers see in the DELETED event. */
  remove(key: string, expect: Stored, build: (revision: number) => KubeObject): Promise<Stored>;
  /**
   * Calls `listener` with every change under `prefix` after `from`, in revision order: kept ones before this returns,
   * then each as it becomes durable, when `get` and `range` already show it and nothing newer. Throws
   * RevisionCompacted when `from` is older than `compacted`. The listener must not throw and must not block.
   */
  watch(prefix: string, from: number, listener: (event: StoreEvent) => void): { close(): void };
  /** Calls back once for each batch that became durable; used for bookmarks and waiting reads. */
  onRevision(listener: (revision: number) => void): { close(): void };
  /** Why the newest write failed, until one succeeds: the server is not ready then. */
  readonly failure: Fault | undefined;
  /** Tries whether writes succeed again, where the newest one failed; resolves with what is wrong. */
  checkWritable(): Promise<Fault | undefined>;
  /** Finishes the writes in flight, refuses later ones, and gives the directory free. */
  close(): Promise<void>;
}

/** One kept object. `body` is its JSON text, with metadata.resourceVersion set to `revision`. */
export interface Stored {
  readonly key: string;
  readonly revision: number;
  readonly body: string;
  /** The parsed body, shared between readers: never changed by anyone. */
  readonly object: KubeObject;
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** The new state; for DELETED the last one. */
  readonly current: Stored;
  readonly previous: Stored | undefined;
}

/** The key's head is not what the writer compared with. */
export class StaleWrite extends Error {
  constructor(
    readonly key: string,
    readonly head: Stored | undefined,
  ) {
    super(`${key} changed meanwhile`);
    this.name = 'StaleWrite';
  }
}

/** A watch asked for history that is no longer kept. */
export class RevisionCompacted extends Error {
  constructor(
    readonly requested: number,
    readonly oldest: number,
  ) {
    super(`too old resource version: ${requested} (${oldest})`);
    this.name = 'RevisionCompacted';
  }
}
