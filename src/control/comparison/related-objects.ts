import type { FactReference } from '../../health/index.js';
import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { ClusterCache } from '../cache/index.js';

/** The related object that a check needs: in the namespace of the assessed one, unless its kind is cluster-scoped. */
export function relatedObjectKey(
  clusterCache: ClusterCache,
  { group, kind, name }: FactReference,
  { metadata }: KubeObject,
): Key {
  return { group, kind, namespace: clusterCache.isNamespaced({ group, kind }) ? (metadata.namespace ?? '') : '', name };
}

/** Related objects that health checks have read in one reconcile: its result holds only while they are the same. */
export class RelatedObjects {
  readonly #read = new Map<string, { readonly key: Key; readonly object: KubeObject | undefined }>();

  constructor(private readonly clusterCache: ClusterCache) {}

  read(wanted: FactReference, live: KubeObject): KubeObject | undefined {
    const key = relatedObjectKey(this.clusterCache, wanted, live);
    const object = this.clusterCache.get(key);
    this.#read.set(keyText(key), { key, object });
    return object;
  }

  get topics(): Iterable<string> {
    return this.#read.keys();
  }

  get size(): number {
    return this.#read.size;
  }

  /** Whether one of them has changed since. */
  get isOutdated(): boolean {
    return [...this.#read.values()].some(({ key, object }) => this.clusterCache.get(key) !== object);
  }
}
