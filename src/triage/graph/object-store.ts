import { keyOf, keyText, splitApiVersion, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { Listing, Snapshot } from '../snapshot/index.js';
import { findSnapshotGaps, type SnapshotGaps } from './snapshot-gaps.js';
import type { Node } from './node.js';

/** The objects of a snapshot by name, kind and owner, and what is known of those that are not there. */
export class ObjectStore {
  readonly #nodes = new Map<string, Node>();
  readonly #byKind = new Map<string, Node[]>();
  readonly #children = new Map<string, Node[]>();
  readonly #byNamespace = new Map<string, Node[]>();
  readonly #listings: Map<string, Listing>;
  readonly #seenIn = new Map<string, Set<string>>();
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
      wasListed: (group, kind, namespace) => this.#said(group, kind, namespace) === 'complete',
      ownersOf,
    });
  }

  get(key: Key): Node | undefined {
    return this.#nodes.get(keyText(key));
  }

  byId(id: string): Node | undefined {
    return this.#nodes.get(id);
  }

  /** The node of a reference: what is there, or what its absence means. */
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

  /** A component of the cluster says that it looked and found nothing: proof, even where the kind was not collected. */
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

  /** Whether a kind was seen wholly: absence proves nothing where the snapshot has holes, whatever was said of it. */
  listing(group: string, kind: string, namespace: string): Listing {
    const said = this.#said(group, kind, namespace);
    return said === 'complete' && this.gaps.hasGaps(group, kind) ? 'partial' : said;
  }

  /** As the collector said, or because a dump has objects of it here and elsewhere. */
  #said(group: string, kind: string, namespace: string): Listing {
    const said =
      this.#listings.get(`${group}/${kind.toLowerCase()}/${namespace}`) ??
      this.#listings.get(`${group}/${kind.toLowerCase()}/`);
    if (said !== undefined) return said;
    const seen = this.#seenIn.get(`${group}/${kind}`);
    if (seen === undefined) return 'unlisted';
    return seen.has(namespace) || seen.size > 1 ? 'complete' : 'unlisted';
  }

  #index(object: KubeObject): void {
    const key = keyOf(object);
    const node: Node = { id: keyText(key), key, object, state: 'present' };
    this.#nodes.set(node.id, node);
    push(this.#byKind, `${key.group}/${key.kind}`, node);
    push(this.#byNamespace, `${key.group}/${key.kind}/${key.namespace}`, node);
    let seen = this.#seenIn.get(`${key.group}/${key.kind}`);
    if (seen === undefined) this.#seenIn.set(`${key.group}/${key.kind}`, (seen = new Set()));
    seen.add(key.namespace);
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

/** Owners stand in the same namespace, or in none; a reference says not which, so both are meant. */
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
