import { keyOf, keyText, splitApiVersion, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { Listing, Snapshot } from '../snapshot/index.js';
import { findSnapshotGaps, type SnapshotGaps } from './snapshot-gaps.js';
import type { Node } from './node.js';

/** The objects of a snapshot by name, kind and owner, and what is known about absent ones. */
export class ObjectStore {
  readonly #nodes = new Map<string, Node>();
  readonly #byKind = new Map<string, Node[]>();
  readonly #children = new Map<string, Node[]>();
  readonly #byNamespace = new Map<string, Node[]>();
  readonly #listings: Map<string, Listing>;
  readonly #namespacesOf = new Map<string, Set<string>>();
  /** Objects that must exist and are not in the snapshot. */
  readonly gaps: SnapshotGaps;

  constructor(snapshot: Snapshot) {
    this.#listings = new Map(
      snapshot.listings.map(({ group, kind, namespace, listing }) => [
        `${group}/${kind.toLowerCase()}/${namespace}`,
        listing,
      ]),
    );
    for (const object of snapshot.objects) this.#index(object);
    this.gaps = findSnapshotGaps({
      objects: snapshot.objects,
      has: (key) => this.#nodes.has(keyText(key)),
      wasListed: (group, kind, namespace) => this.#recordedListing(group, kind, namespace) === 'complete',
      ownersOf,
    });
  }

  get(key: Key): Node | undefined {
    return this.#nodes.get(keyText(key));
  }

  byId(id: string): Node | undefined {
    return this.#nodes.get(id);
  }

  /** The node of a reference: the object, a ghost or unknown. */
  refer(key: Key): Node {
    const id = keyText(key);
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const node: Node = {
      id,
      key,
      object: undefined,
      state: this.listing(key.group, key.kind, key.namespace) === 'complete' ? 'ghost' : 'unknown',
    };
    this.#nodes.set(id, node);
    return node;
  }

  /** The node of something that is no object, such as an image. */
  virtual(kind: string, name: string): Node {
    const key = { group: '', kind, namespace: '', name };
    const id = keyText(key);
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const node: Node = { id, key, object: undefined, state: 'virtual' };
    this.#nodes.set(id, node);
    return node;
  }

  /** A component of the cluster reports that the object does not exist: proof even if the kind was not collected. */
  missing(key: Key): Node {
    const node: { state: Node['state'] } & Omit<Node, 'state'> = this.refer(key);
    if (node.state === 'unknown') node.state = 'ghost';
    return node;
  }

  all(): Node[] {
    return [...this.#nodes.values()].filter(({ state }) => state === 'present');
  }

  ofKind(group: string, kind: string): readonly Node[] {
    return this.#byKind.get(`${group}/${kind}`) ?? [];
  }

  inNamespace(group: string, kind: string, namespace: string): readonly Node[] {
    return this.#byNamespace.get(`${group}/${kind}/${namespace}`) ?? [];
  }

  /** What an object owns, by its owner references. */
  children(node: Node): readonly Node[] {
    return this.#children.get(node.id) ?? [];
  }

  /**
   * Whether a kind was listed completely: absence proves nothing if the snapshot has gaps, whatever the collector
   * recorded.
   */
  listing(group: string, kind: string, namespace: string): Listing {
    const recorded = this.#recordedListing(group, kind, namespace);
    return recorded === 'complete' && this.gaps.hasGaps(group, kind) ? 'partial' : recorded;
  }

  /** As the collector recorded, or because a dump has objects of the kind in this and other namespaces. */
  #recordedListing(group: string, kind: string, namespace: string): Listing {
    const recorded =
      this.#listings.get(`${group}/${kind.toLowerCase()}/${namespace}`) ??
      this.#listings.get(`${group}/${kind.toLowerCase()}/`);
    if (recorded !== undefined) return recorded;
    const namespaces = this.#namespacesOf.get(`${group}/${kind}`);
    if (namespaces === undefined) return 'unlisted';
    return namespaces.has(namespace) || namespaces.size > 1 ? 'complete' : 'unlisted';
  }

  #index(object: KubeObject): void {
    const key = keyOf(object);
    const node: Node = { id: keyText(key), key, object, state: 'present' };
    this.#nodes.set(node.id, node);
    push(this.#byKind, `${key.group}/${key.kind}`, node);
    push(this.#byNamespace, `${key.group}/${key.kind}/${key.namespace}`, node);
    let namespaces = this.#namespacesOf.get(`${key.group}/${key.kind}`);
    if (namespaces === undefined) this.#namespacesOf.set(`${key.group}/${key.kind}`, (namespaces = new Set()));
    namespaces.add(key.namespace);
    for (const owner of ownersOf(object)) {
      push(this.#children, keyText(owner), node);
      if (owner.namespace !== '') push(this.#children, keyText({ ...owner, namespace: '' }), node);
    }
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Owners are in the same namespace or cluster-scoped; a reference does not say which, so both are tried. */
export function ownersOf(object: KubeObject): Key[] {
  const references = object.metadata.ownerReferences;
  if (!Array.isArray(references)) return [];
  return references.flatMap(({ apiVersion, kind, name }) => {
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return [];
    const { group } = splitApiVersion(apiVersion);
    const namespace = group === '' && kind === 'Node' ? '' : (object.metadata.namespace ?? '');
    return [{ group, kind, namespace, name }];
  });
}
