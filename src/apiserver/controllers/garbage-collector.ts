import { splitApiVersion, type KubeObject, type OwnerReference } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import type { ServedResource, WatchedObject } from '../rest/index.js';
import { type Controller, type ControllerHost, createWorkQueue } from '../controller-runtime/index.js';
import type { WorkQueue } from '../../model/queue/index.js';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** An object that has owners, or that waits for its dependents. */
interface Item {
  readonly of: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
}

/** Deletes what nobody owns any more, and lets owners go in the order that their deleter asked for. */
export const garbageCollector: Controller = {
  name: 'generic-garbage-collector',
  start(host) {
    const running = new Collector(host);
    running.start();
    return running;
  },
};

class Collector {
  readonly #items = new Map<string, Item>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #kinds = new Map<string, ServedResource>();
  readonly #watches = new Map<string, { close(): void }>();
  readonly #queue: WorkQueue;
  #resources: { close(): void } | undefined;

  constructor(readonly host: ControllerHost) {
    this.#queue = createWorkQueue(
      host.clock,
      (uid) => this.#process(uid),
      (uid, error) => {
        if (!(error instanceof ApiError)) host.log.error(`generic-garbage-collector: ${uid}`, { error });
      },
    );
  }

  start(): void {
    this.#resources = this.host.client.onResources((of) => {
      // Events own nothing, are owned by nothing, and are many.
      if (of.plural === 'events') return;
      const key = `${of.group}/${of.plural}`;
      this.#kinds.set(`${of.group}/${of.kind}`, of);
      this.#watches.get(key)?.close();
      this.#watches.set(
        key,
        this.host.client.watch(of, (event) => this.#changed(of, event)),
      );
      // Owners of this kind could not be checked before.
      for (const item of this.#items.values())
        if (item.owners.some((owner) => this.#kindOf(owner) === of)) this.#queue.add(item.uid);
    });
  }

  close(): void {
    this.#resources?.close();
    for (const watch of this.#watches.values()) watch.close();
    void this.#queue.close();
  }

  #kindOf({ apiVersion, kind }: OwnerReference): ServedResource | undefined {
    return this.#kinds.get(`${splitApiVersion(apiVersion).group}/${kind}`);
  }

  #changed(of: ServedResource, { type, object }: WatchedObject): void {
    const { uid = '', namespace = '', name = '', ownerReferences = [], deletionTimestamp } = object.metadata;
    const before = this.#items.get(uid);
    if (type === 'DELETED') return this.#gone(uid, before);
    const waits = deletionTimestamp !== undefined && (hasFinalizer(object, ORPHAN) || hasFinalizer(object, FOREGROUND));
    if (ownerReferences.length === 0 && !waits && !before) return;
    const item: Item = { of, namespace, name, uid, owners: ownerReferences };
    if (ownerReferences.length > 0 || waits) this.#items.set(uid, item);
    else this.#items.delete(uid);
    this.#index(uid, before?.owners ?? [], ownerReferences);
    if (waits || ownerReferences.length > 0) this.#queue.add(uid);
  }

  #gone(uid: string, item: Item | undefined): void {
    this.#items.delete(uid);
    if (item) this.#index(uid, item.owners, []);
    for (const dependent of this.#dependents.get(uid) ?? []) this.#queue.add(dependent);
  }

  /** Keeps the index of dependents; an owner that lost one may be free to go. */
  #index(uid: string, before: readonly OwnerReference[], now: readonly OwnerReference[]): void {
    for (const { uid: owner } of before) {
      if (now.some((each) => each.uid === owner)) continue;
      const set = this.#dependents.get(owner);
      set?.delete(uid);
      if (set?.size === 0) this.#dependents.delete(owner);
      if (this.#items.has(owner)) this.#queue.add(owner);
    }
    for (const { uid: owner } of now) this.#dependents.set(owner, (this.#dependents.get(owner) ?? new Set()).add(uid));
  }

  async #process(uid: string): Promise<void> {
    const item = this.#items.get(uid);
    const object = item && this.host.client.get(item.of, item.namespace, item.name);
    if (!item || !object || object.metadata.uid !== uid) return;
    if (object.metadata.deletionTimestamp !== undefined) {
      if (hasFinalizer(object, ORPHAN)) await this.#orphan(item);
      else if (hasFinalizer(object, FOREGROUND)) await this.#waitForDependents(item);
      return;
    }
    await this.#attemptToDelete(item, object);
  }

  async #attemptToDelete(item: Item, object: KubeObject): Promise<void> {
    const { solid, dangling, waiting } = this.#classify(item, object);
    if (dangling.length === 0 && waiting.length === 0) return;
    if (solid)
      return this.#dropOwners(
        item,
        [...dangling, ...waiting].map((owner) => owner.uid),
      );
    if (waiting.length > 0 && (this.#dependents.get(item.uid)?.size ?? 0) > 0) {
      await this.#breakCycle(item);
      return this.#delete(item, 'Foreground');
    }
    if (hasFinalizer(object, ORPHAN)) return this.#delete(item, 'Orphan');
    return this.#delete(item, hasFinalizer(object, FOREGROUND) ? 'Foreground' : 'Background');
  }

  /**
   * Owners that are there, that are gone, and that wait for their dependents to go. An owner of a kind nobody serves
   * counts as there.
   */
  #classify(item: Item, object: KubeObject): { solid: boolean; dangling: OwnerReference[]; waiting: OwnerReference[] } {
    let solid = false;
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const owner of object.metadata.ownerReferences ?? []) {
      const of = this.#kindOf(owner);
      // A cluster-wide object cannot be owned by one in a namespace: the reference has no namespace.
      if (!of || (of.namespaced && item.namespace === '')) {
        solid = true;
        continue;
      }
      const found = this.host.client.get(of, of.namespaced ? item.namespace : '', owner.name);
      if (found?.metadata.uid !== owner.uid) dangling.push(owner);
      else if (found.metadata.deletionTimestamp !== undefined && hasFinalizer(found, FOREGROUND)) waiting.push(owner);
      else solid = true;
    }
    return { solid, dangling, waiting };
  }

  /** Two objects that own each other would wait for each other for ever. */
  async #breakCycle(item: Item): Promise<void> {
    const isCircular = [...(this.#dependents.get(item.uid) ?? [])].some((uid) => {
      const dependent = this.#items.get(uid);
      const object = dependent && this.host.client.get(dependent.of, dependent.namespace, dependent.name);
      return object?.metadata.deletionTimestamp !== undefined && hasFinalizer(object, FOREGROUND);
    });
    if (!isCircular) return;
    await this.host.client.edit(item.of, item.namespace, item.name, ({ metadata }) => {
      for (const owner of metadata.ownerReferences ?? []) owner.blockOwnerDeletion = false;
    });
  }

  async #waitForDependents(item: Item): Promise<void> {
    const blocking = [...(this.#dependents.get(item.uid) ?? [])].filter((uid) =>
      this.#items.get(uid)?.owners.some((owner) => owner.uid === item.uid && owner.blockOwnerDeletion === true),
    );
    if (blocking.length === 0) return this.#dropFinalizer(item, FOREGROUND);
    for (const uid of blocking) this.#queue.add(uid);
  }

  async #orphan(item: Item): Promise<void> {
    for (const uid of this.#dependents.get(item.uid) ?? []) {
      const dependent = this.#items.get(uid);
      if (dependent) await this.#dropOwners(dependent, [item.uid]);
    }
    await this.#dropFinalizer(item, ORPHAN);
  }

  async #dropOwners({ of, namespace, name, uid }: Item, owners: readonly string[]): Promise<void> {
    await this.host.client.edit(of, namespace, name, ({ metadata }) => {
      if (metadata.uid !== uid) return false;
      const left = (metadata.ownerReferences ?? []).filter((owner) => !owners.includes(owner.uid));
      if (left.length > 0) metadata.ownerReferences = left;
      else delete metadata.ownerReferences;
      return true;
    });
  }

  async #dropFinalizer({ of, namespace, name, uid }: Item, finalizer: string): Promise<void> {
    await this.host.client.edit(of, namespace, name, ({ metadata }) => {
      if (metadata.uid !== uid || !metadata.finalizers?.includes(finalizer)) return false;
      metadata.finalizers = metadata.finalizers.filter((each) => each !== finalizer);
      return true;
    });
  }

  async #delete(
    { of, namespace, name, uid }: Item,
    propagation: 'Background' | 'Foreground' | 'Orphan',
  ): Promise<void> {
    await this.host.client.remove(of, namespace, name, { uid, propagation });
  }
}

function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}
