import { matchesLabels, type KubeObject, type LabelSelector } from '../../model/kubernetes/index.js';

/** What happened to an object, with what was known of it before. */
export type Change =
  | { readonly type: 'added'; readonly object: KubeObject }
  | { readonly type: 'updated'; readonly object: KubeObject; readonly old: KubeObject }
  | { readonly type: 'deleted'; readonly old: KubeObject };

/** An object as it is kept, with what it is found by. */
export interface Entry {
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owners: readonly string[];
}

/** What an object is found by, taken from the whole object; `kept` may be less of it. */
export function entryOf(whole: KubeObject, kept: KubeObject): Entry {
  const { namespace = '', name = '', uid = '', resourceVersion = '', ownerReferences } = whole.metadata;
  const owners = Array.isArray(ownerReferences) ? ownerReferences.map((owner) => owner.uid) : [];
  return { namespace, name, object: kept, uid, resourceVersion, owners };
}

/** The objects of one kind by namespace and name, by uid and by owner. Every change comes back as a Change. */
export class ObjectIndex {
  readonly #objects = new Map<string, Map<string, Entry>>();
  readonly #byUid = new Map<string, Entry>();
  readonly #byOwner = new Map<string, Set<Entry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(namespace)?.get(name)?.object;
  }

  byUid(uid: string): KubeObject | undefined {
    return this.#byUid.get(uid)?.object;
  }

  /** Objects that name this uid among their owners. */
  ownedBy(uid: string): KubeObject[] {
    return [...(this.#byOwner.get(uid) ?? [])].map(({ object }) => object);
  }

  /** In one namespace or everywhere; labels are those of the kept object. */
  list(options: { readonly namespace?: string; readonly selector?: LabelSelector } = {}): KubeObject[] {
    const { namespace, selector } = options;
    const groups =
      namespace === undefined
        ? [...this.#objects.values()]
        : [this.#objects.get(namespace) ?? new Map<string, Entry>()];
    const all = groups.flatMap((group) => [...group.values()].map(({ object }) => object));
    return selector === undefined ? all : all.filter((object) => matchesLabels(selector, object.metadata.labels ?? {}));
  }

  /** Nothing where this very version is known already; two where the name now belongs to another object. */
  set(entry: Entry): Change[] {
    const old = this.#objects.get(entry.namespace)?.get(entry.name);
    if (old === undefined) {
      this.#insert(entry);
      return [{ type: 'added', object: entry.object }];
    }
    if (old.uid === entry.uid && old.resourceVersion === entry.resourceVersion) return [];
    this.#drop(old);
    this.#insert(entry);
    if (old.uid === entry.uid) return [{ type: 'updated', object: entry.object, old: old.object }];
    return [
      { type: 'deleted', old: old.object },
      { type: 'added', object: entry.object },
    ];
  }

  /** Removes by name; an event about an older object of that name removes nothing. */
  delete(object: KubeObject): Change[] {
    const { namespace = '', name = '', uid } = object.metadata;
    const old = this.#objects.get(namespace)?.get(name);
    if (old === undefined || (uid !== undefined && old.uid !== uid)) return [];
    this.#drop(old);
    return [{ type: 'deleted', old: old.object }];
  }

  /** Makes the content exactly this list: what is not in it is gone. */
  replace(entries: readonly Entry[]): Change[] {
    const present = new Map<string, Set<string>>();
    for (const { namespace, name } of entries) {
      const names = present.get(namespace) ?? new Set();
      present.set(namespace, names.add(name));
    }
    const changes: Change[] = [];
    for (const [namespace, group] of this.#objects) {
      for (const [name, entry] of group) {
        if (present.get(namespace)?.has(name) === true) continue;
        this.#drop(entry);
        changes.push({ type: 'deleted', old: entry.object });
      }
    }
    for (const entry of entries) changes.push(...this.set(entry));
    return changes;
  }

  #insert(entry: Entry): void {
    const group = this.#objects.get(entry.namespace) ?? new Map<string, Entry>();
    this.#objects.set(entry.namespace, group.set(entry.name, entry));
    this.#byUid.set(entry.uid, entry);
    for (const owner of entry.owners)
      this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? new Set<Entry>()).add(entry));
    this.#size++;
  }

  #drop(entry: Entry): void {
    const group = this.#objects.get(entry.namespace);
    group?.delete(entry.name);
    if (group?.size === 0) this.#objects.delete(entry.namespace);
    if (this.#byUid.get(entry.uid) === entry) this.#byUid.delete(entry.uid);
    for (const owner of entry.owners) {
      const owned = this.#byOwner.get(owner);
      owned?.delete(entry);
      if (owned?.size === 0) this.#byOwner.delete(owner);
    }
    this.#size--;
  }
}
