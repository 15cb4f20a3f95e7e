import type { Key, KubeObject } from '../../model/kubernetes/index.js';
import { type ClientDependencies, Limiter } from '../timing/index.js';
import { type Cluster, kindText } from '../client/index.js';
import type { ResourceRef } from '../../model/resources/index.js';
import type { Change } from './object-index.js';
import { NamespacedCache, type KindCache } from './namespaced-cache.js';
import { WatchCache, type CacheOptions, type CacheStatus } from './watch-cache.js';

export interface CacheSetOptions {
  /** For each kind; the namespace, selectors and what to keep may differ by kind. */
  readonly cache?: (kind: ResourceRef) => CacheOptions;
  /** Namespaced kinds are read in these alone, each by a list and a watch of its own; all if there are none. */
  readonly namespaces?: readonly string[];
  /** Lists read at a time: they, not the streams, cost memory. */
  readonly lists?: number;
}

export interface KindStatus extends CacheStatus {
  readonly kind: ResourceRef;
}

export interface CacheSetStatus {
  readonly kinds: readonly KindStatus[];
  /** Whether every kind was read at least once and is read now. */
  readonly isComplete: boolean;
  /** The age of the oldest kind that was ever read, in milliseconds; undefined before. */
  readonly age: number | undefined;
}

/** Caches of many kinds of one cluster. Each stands for itself: one that is forbidden or broken never stops another. */
export interface CacheSet {
  /** Sets the watched kinds: new ones start, others end and their objects are reported as deleted. */
  watch(kinds: readonly ResourceRef[]): void;
  cache(kind: { readonly group: string; readonly kind: string }): KindCache | undefined;
  get(key: Key): KubeObject | undefined;
  /** Objects of any watched kind that name this uid among their owners. */
  ownedBy(uid: string): KubeObject[];
  subscribe(handler: (change: Change, kind: ResourceRef) => void): () => void;
  readonly status: CacheSetStatus;
  /** Milliseconds since any kind was last heard of, where none is followed now. */
  readonly silence: number | undefined;
  /** The status once every kind was read or cannot be read, at the latest after `within` milliseconds. */
  waitForSync(within: number): Promise<CacheSetStatus>;
  close(): void;
}

const MAX_CONCURRENT_LISTS = 16;

export function watchKinds(
  cluster: Cluster,
  kinds: readonly ResourceRef[],
  dependencies: ClientDependencies,
  options: CacheSetOptions = {},
): CacheSet {
  const fleet = new WatchCacheSet(cluster, dependencies, options);
  fleet.watch(kinds);
  return fleet;
}

class WatchCacheSet implements CacheSet {
  readonly #caches = new Map<string, KindCache>();
  /** The lists and watches that they consist of. */
  readonly #parts = new Map<KindCache, readonly WatchCache[]>();
  readonly #limiter: Limiter;
  readonly #subscribers = new Set<(change: Change, kind: ResourceRef) => void>();

  constructor(
    readonly cluster: Cluster,
    readonly dependencies: ClientDependencies,
    readonly options: CacheSetOptions,
  ) {
    this.#limiter = new Limiter(options.lists ?? MAX_CONCURRENT_LISTS);
  }

  watch(kinds: readonly ResourceRef[]): void {
    const wanted = new Map(kinds.map((kind) => [kindText(kind), kind]));
    for (const [name, cache] of this.#caches) {
      const kind = wanted.get(name);
      if (kind?.version === cache.kind.version && kind.plural === cache.kind.plural) continue;
      cache.close();
      this.#caches.delete(name);
      this.#parts.delete(cache);
      for (const old of cache.list()) this.#announce({ type: 'deleted', old }, cache.kind);
    }
    for (const [name, kind] of wanted) {
      if (this.#caches.has(name)) continue;
      const cache = this.#open(kind);
      cache.subscribe((change) => {
        this.#announce(change, kind);
      });
      this.#caches.set(name, cache);
    }
  }

  #open(kind: ResourceRef): KindCache {
    const { namespaces = [] } = this.options;
    const watch = (namespace?: string): WatchCache => {
      const options = { ...this.options.cache?.(kind), ...(namespace === undefined ? {} : { namespace }) };
      return new WatchCache(this.cluster, kind, this.dependencies, options, this.#limiter);
    };
    if (namespaces.length === 0 || !kind.namespaced) {
      const whole = watch();
      this.#parts.set(whole, [whole]);
      return whole;
    }
    const parts = new Map([...new Set(namespaces)].map((namespace) => [namespace, watch(namespace)]));
    const cache = new NamespacedCache(kind, parts);
    this.#parts.set(cache, [...parts.values()]);
    return cache;
  }

  cache(kind: { readonly group: string; readonly kind: string }): KindCache | undefined {
    return this.#caches.get(kindText(kind));
  }

  get(key: Key): KubeObject | undefined {
    return this.cache(key)?.get(key.namespace, key.name);
  }

  ownedBy(uid: string): KubeObject[] {
    return [...this.#caches.values()].flatMap((cache) => cache.ownedBy(uid));
  }

  subscribe(handler: (change: Change, kind: ResourceRef) => void): () => void {
    for (const cache of this.#caches.values()) {
      for (const object of cache.list()) this.#notify(handler, { type: 'added', object }, cache.kind);
    }
    this.#subscribers.add(handler);
    return () => {
      this.#subscribers.delete(handler);
    };
  }

  get status(): CacheSetStatus {
    const kinds = [...this.#caches.values()].map((cache) => ({ kind: cache.kind, ...cache.status }));
    const ages = kinds.flatMap(({ age }) => (age === undefined ? [] : [age]));
    return {
      kinds,
      isComplete: kinds.every(({ state }) => state === 'live'),
      age: ages.length === 0 ? undefined : Math.max(...ages),
    };
  }

  get silence(): number | undefined {
    let least = Infinity;
    for (const {
      status: { state, age = Infinity },
    } of [...this.#parts.values()].flat()) {
      if (state === 'live') return undefined;
      least = Math.min(least, age);
    }
    return this.#caches.size === 0 ? undefined : least;
  }

  async waitForSync(within: number): Promise<CacheSetStatus> {
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.dependencies.clock.after(within, resolve);
    });
    await Promise.race([Promise.all([...this.#caches.values()].map((cache) => cache.waitForSync())), late]);
    cancel();
    return this.status;
  }

  close(): void {
    for (const cache of this.#caches.values()) cache.close();
    this.#subscribers.clear();
  }

  #announce(change: Change, kind: ResourceRef): void {
    for (const handler of this.#subscribers) this.#notify(handler, change, kind);
  }

  #notify(handler: (change: Change, kind: ResourceRef) => void, change: Change, kind: ResourceRef): void {
    try {
      handler(change, kind);
    } catch (error) {
      this.dependencies.report(`a handler of ${kindText(kind)} failed: ${String(error)}`);
    }
  }
}
