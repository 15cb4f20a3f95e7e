import type { KubeObject, LabelSelector } from '../../model/kubernetes/index.js';
import type { ResourceRef } from '../../model/resources/index.js';
import type { Change } from './object-index.js';
import type { CacheState, CacheStatus, WatchCache } from './watch-cache.js';

/** What a set keeps of one kind, whether it is read as a whole or namespace by namespace. */
export type KindCache = Pick<
  WatchCache,
  'kind' | 'status' | 'get' | 'ownedBy' | 'list' | 'subscribe' | 'recordWrite' | 'waitForSync' | 'close'
>;

/** From the best to the worst. */
const STATES: readonly CacheState[] = ['live', 'stale', 'syncing', 'broken', 'forbidden'];

/** One kind in several namespaces, each with a list and a watch of its own. */
export class NamespacedCache implements KindCache {
  readonly #parts: ReadonlyMap<string, WatchCache>;

  constructor(
    readonly kind: ResourceRef,
    parts: ReadonlyMap<string, WatchCache>,
  ) {
    this.#parts = parts;
  }

  /** The worst of all namespaces: a kind is known only if it is known in each. */
  get status(): CacheStatus {
    const all = [...this.#parts].map(([namespace, { status }]) => ({ namespace, status }));
    const worst = all.reduce((a, b) => (STATES.indexOf(b.status.state) > STATES.indexOf(a.status.state) ? b : a));
    const { state, reason } = worst.status;
    const ages = all.map(({ status }) => status.age);
    return {
      state,
      reason: reason === '' ? '' : `namespace ${worst.namespace}: ${reason}`,
      age: ages.includes(undefined) ? undefined : Math.max(...ages.map((age) => age ?? 0)),
      objects: all.reduce((sum, { status }) => sum + status.objects, 0),
      lists: Math.min(...all.map(({ status }) => status.lists)),
    };
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#parts.get(namespace)?.get(namespace, name);
  }

  ownedBy(uid: string): KubeObject[] {
    return [...this.#parts.values()].flatMap((part) => part.ownedBy(uid));
  }

  list(options: { readonly namespace?: string; readonly selector?: LabelSelector } = {}): KubeObject[] {
    const { namespace } = options;
    const parts = namespace === undefined ? [...this.#parts.values()] : [this.#parts.get(namespace)];
    return parts.flatMap((part) => part?.list(options) ?? []);
  }

  subscribe(handler: (change: Change) => void): () => void {
    const ends = [...this.#parts.values()].map((part) => part.subscribe(handler));
    return () => {
      for (const end of ends) end();
    };
  }

  /** One of a namespace that is not read is not kept. */
  recordWrite(object: KubeObject): void {
    this.#parts.get(object.metadata.namespace ?? '')?.recordWrite(object);
  }

  async waitForSync(): Promise<void> {
    await Promise.all([...this.#parts.values()].map((part) => part.waitForSync()));
  }

  close(): void {
    for (const part of this.#parts.values()) part.close();
  }
}
