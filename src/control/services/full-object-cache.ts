import { ClusterError } from '../../cluster/index.js';
import { keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import type { ClusterCache } from '../cache/index.js';

/** So many objects of one kind in one namespace are read in one list. */
const LIST_THRESHOLD = 4;
const MAX_ENTRIES = 5000;

/**
 * Whole objects, of which a view keeps only the heads; each is read once for each of its versions. Bounded: the oldest
 * go.
 */
export class FullObjectCache {
  readonly #known = new Map<string, KubeObject>();

  /** In the order of the heads; what is gone or may not be read stays a head. */
  async read(view: ClusterCache, heads: readonly KubeObject[]): Promise<KubeObject[]> {
    const groups = new Map<string, KubeObject[]>();
    for (const head of heads) {
      if (view.isTracked(head) || this.#known.has(idOf(head))) continue;
      const { group, kind, namespace } = keyOf(head);
      const name = `${group}/${kind}/${namespace}`;
      groups.set(name, [...(groups.get(name) ?? []), head]);
    }
    await Promise.all([...groups.values()].map((group) => this.#readGroup(view, group)));
    return heads.map((head) => this.#known.get(idOf(head)) ?? head);
  }

  async #readGroup(view: ClusterCache, heads: readonly KubeObject[]): Promise<void> {
    const [first] = heads;
    const kind = first === undefined ? undefined : view.kindOf(first);
    if (first === undefined || kind === undefined) return;
    const namespace = kind.namespaced ? first.metadata.namespace : undefined;
    const scope = namespace === undefined ? {} : { namespace };
    try {
      const names = new Set(heads.map(({ metadata }) => metadata.name));
      const objects =
        heads.length < LIST_THRESHOLD
          ? (
              await Promise.all(
                heads.map(({ metadata }) => view.cluster.get(kind, { ...scope, name: metadata.name ?? '' })),
              )
            ).filter((object) => object !== undefined)
          : (await view.cluster.list(kind, scope)).items.filter(({ metadata }) => names.has(metadata.name));
      for (const object of objects) this.#keep(object);
      // What changed between the head and the read is known under its own version; the head means it too.
      const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
      for (const head of heads) {
        const object = byUid.get(head.metadata.uid);
        if (object !== undefined) this.#known.set(idOf(head), object);
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
  }

  #keep(object: KubeObject): void {
    const { managedFields: _, ...metadata } = object.metadata;
    this.#known.set(idOf(object), { ...object, metadata });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_ENTRIES) break;
      this.#known.delete(oldest);
    }
  }
}

function idOf({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): string {
  return `${uid} ${resourceVersion}`;
}
