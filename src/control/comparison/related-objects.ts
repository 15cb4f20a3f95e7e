import type { FactReference } from '../../health/index.js';
import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { ClusterCache } from '../cache/index.js';

/** The object that a check asks for: beside the one that it judges, or in no namespace where its kind has none. */
export function relatedObjectKey(
  view: ClusterCache,
  { group, kind, name }: FactReference,
  { metadata }: KubeObject,
): Key {
  return { group, kind, namespace: view.isNamespaced({ group, kind }) ? (metadata.namespace ?? '') : '', name };
}

/**
 * Related objects that checks looked at during one pass: what was concluded from them holds only as long as they are
 * the same.
 */
export class RelatedObjects {
  readonly #seen = new Map<string, { readonly key: Key; readonly object: KubeObject | undefined }>();

  constructor(private readonly view: ClusterCache) {}

  read(wanted: FactReference, live: KubeObject): KubeObject | undefined {
    const key = relatedObjectKey(this.view, wanted, live);
    const object = this.view.get(key);
    this.#seen.set(keyText(key), { key, object });
    return object;
  }

  get topics(): Iterable<string> {
    return this.#seen.keys();
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Whether one of them is another by now. */
  get isOutdated(): boolean {
    return [...this.#seen.values()].some(({ key, object }) => this.view.get(key) !== object);
  }
}
