import { Fault } from '../../model/faults/index.js';
import { gvkOf, keyOf, keyText, splitApiVersion, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject } from '../../model/json/index.js';
import { digestOf } from './unchanged-cache.js';
import {
  type CacheSet,
  type Change,
  type ClientDependencies,
  type Cluster,
  type Discovery,
  type ResourceKind,
  apiVersionOf,
  kindText,
  watchKinds,
} from '../../cluster/index.js';
import type { ResourceRef } from '../../model/resources/index.js';

export interface ClusterCacheOptions {
  /** The address that applications name. */
  readonly server: string;
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  /** Kinds that are neither watched nor delivered. */
  readonly isExcluded: (kind: { readonly group: string; readonly kind: string }) => boolean;
  /** The application that an object says it belongs to. */
  readonly ownerOf: (object: KubeObject) => string | undefined;
  /** Told of each object that changed, with the applications it named before and now. */
  readonly onChange: (change: ObjectChange) => void;
  /** What the cluster serves has changed: everybody should look again. */
  readonly onKinds: () => void;
}

export interface ObjectChange {
  readonly key: Key;
  readonly owners: readonly string[];
  /** The uids of its owners, as it is or was. */
  readonly parents: readonly string[];
  /** The writer of the change, where it is one of us: `learn` names it. */
  readonly writer: string | undefined;
}

/** Kinds that are kept whole because checks and gates look at them. */
const KEPT_WHOLE = new Set([
  'storage.k8s.io/StorageClass',
  'Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'image.openshift.io/ImageStream',
  'build.openshift.io/Build',
]);
/** Kinds of which these fields are kept, whoever they belong to. */
const KEPT_PARTS = new Set(
  ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => `rbac.authorization.k8s.io/${kind}`),
);
/** Verbs without which a kind can be neither listed nor followed. */
const REQUIRED_VERBS = ['list', 'watch'];

/**
 * What a controller knows of one cluster: the kinds it serves, all tracked objects whole, of all others only who they
 * are.
 * Kinds come and go with their definitions; one that cannot be read never stops the others.
 */
export class ClusterCache {
  readonly #options: ClusterCacheOptions;
  readonly #caches: CacheSet;
  readonly #byOwner = new Map<string, Map<string, KubeObject>>();
  readonly #waiters = new Map<string, Set<() => void>>();
  /** Changes seen so far, by kind. */
  readonly events = new Map<string, { readonly group: string; readonly kind: string; count: number }>();
  #kinds = new Map<string, ResourceKind>();
  #served: readonly ResourceKind[] = [];
  #failed: Discovery['failed'] = [];
  #version = '';
  #digest = '';
  #apiVersions: readonly string[] = [];
  /** Grows whenever the served kinds change. */
  kindsVersion = 0;
  #writer: string | undefined;
  /** Before that nobody has seen anything of it, so nothing is news. */
  #isOpen = false;
  #isClosed = false;
  #rediscovery: (() => void) | undefined;

  private constructor(options: ClusterCacheOptions) {
    this.#options = options;
    this.#caches = watchKinds(options.cluster, [], options.world, {
      cache: (kind) => ({
        ...(KEPT_WHOLE.has(kindText(kind)) ? {} : { keep: (object) => this.#keep(object) }),
        // What is known of such a kind is in doubt now, or not any more.
        onReadable: () => {
          if (this.#isOpen) options.onKinds();
        },
      }),
    });
    this.#caches.subscribe((change) => {
      this.#handleChange(change);
    });
  }

  static async open(options: ClusterCacheOptions, within: number): Promise<ClusterCache> {
    const view = new ClusterCache(options);
    try {
      await view.discover();
      await view.#caches.waitForSync(within);
      view.#isOpen = true;
      return view;
    } catch (error) {
      view.close();
      throw error;
    }
  }

  get cluster(): Cluster {
    return this.#options.cluster;
  }

  get server(): string {
    return this.#options.server;
  }

  /** Such as 1.34.4. */
  get kubeVersion(): string {
    return this.#version;
  }

  /** `apps/v1` and `apps/v1/Deployment`, as charts ask for them. */
  get apiVersions(): readonly string[] {
    return this.#apiVersions;
  }

  /** Changes with whatever the cluster serves, also between two processes. */
  get kindsDigest(): string {
    return this.#digest;
  }

  get status(): CacheSet['status'] {
    return this.#caches.status;
  }

  /** Whether the served kinds are others than before. */
  async discover(): Promise<boolean> {
    const [discovery, version] = await Promise.all([this.cluster.discover(), this.cluster.document('/version')]);
    const said = isObject(version) && typeof version.gitVersion === 'string' ? version.gitVersion : '';
    this.#version = said.replace(/^v/, '').replace(/[+-][^]*$/, '');
    this.#failed = discovery.failed;
    // A group that does not answer now keeps the kinds it had: their absence means nothing.
    const silent = new Set(discovery.failed.map(({ groupVersion }) => groupVersion));
    this.#served = [...discovery.kinds, ...this.#served.filter((kind) => silent.has(apiVersionOf(kind)))];
    this.#kinds = new Map(this.#served.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
    this.#caches.watch(this.#watched());
    const digest = `${this.#version} ${digestOf([...this.#kinds.keys()].sort().join())}`;
    if (digest === this.#digest) return false;
    this.#digest = digest;
    this.#apiVersions = [
      ...new Set(this.#served.flatMap((kind) => [apiVersionOf(kind), `${apiVersionOf(kind)}/${kind.kind}`])),
    ].sort();
    this.kindsVersion++;
    return true;
  }

  /** How the kind of an object is addressed; undefined where the cluster does not serve it. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): ResourceKind | undefined {
    return this.#kinds.get(`${object.apiVersion} ${object.kind}`);
  }

  /**
   * The kind that a word of a command line means: plural, singular, short name or kind, alone or with its group behind
   * a dot.
   */
  findKind(word: string): ResourceKind | undefined {
    const dot = word.indexOf('.');
    const [name, group] = dot < 0 ? [word, undefined] : [word.slice(0, dot), word.slice(dot + 1)];
    const named = this.#served.filter(
      (kind) =>
        (group === undefined || kind.group === group || `${kind.version}.${kind.group}` === group) &&
        (kind.plural === name ||
          kind.singular === name ||
          kind.kind.toLowerCase() === name ||
          kind.shortNames.includes(name)),
    );
    return named.find((kind) => kind.group === '') ?? named.find((kind) => kind.preferred) ?? named[0];
  }

  /** A kind of the same name in another version or, where there is none, in another group. */
  servedInstead(object: KubeObject): ResourceKind | undefined {
    const { group, kind } = gvkOf(object);
    const named = this.#served.filter((each) => each.kind === kind);
    return named.find((each) => each.group === group) ?? named[0];
  }

  /** The kind once the server serves it; undefined where nobody has defined it, or the time is over. */
  async waitForKind(object: KubeObject, within: number): Promise<ResourceKind | undefined> {
    const { clock } = this.#options.world;
    const until = clock.steady() + within;
    while (this.#isDefined(gvkOf(object)) && clock.steady() < until) {
      if (await this.discover()) this.#options.onKinds();
      const kind = this.kindOf(object);
      if (kind !== undefined) return kind;
      await new Promise<void>((resolve) => {
        clock.after(SERVED_POLL_INTERVAL, resolve);
      });
    }
    return this.kindOf(object);
  }

  #isDefined({ group, kind }: { readonly group: string; readonly kind: string }): boolean {
    return (this.#caches.cache(CRD)?.list() ?? []).some(
      ({ spec }) => isObject(spec) && spec.group === group && isObject(spec.names) && spec.names.kind === kind,
    );
  }

  /** Why nothing may be concluded from the absence of objects of this kind; undefined where all are known. */
  unreadableReason(kind: { readonly group: string; readonly kind: string }): string | undefined {
    const cache = this.#caches.cache(kind);
    if (cache !== undefined) {
      const { state, reason } = cache.status;
      return state === 'live' || state === 'stale' ? undefined : `${kindText(kind)} cannot be read: ${reason}`;
    }
    const silent = this.#failed.find(({ groupVersion }) => splitApiVersion(groupVersion).group === kind.group);
    return silent === undefined ? undefined : `${silent.groupVersion} does not answer: ${silent.message}`;
  }

  /** Milliseconds since any kind of this cluster was last heard of, where none is followed now. */
  get disconnectedFor(): number | undefined {
    return this.#caches.silence;
  }

  /** Waits for the first list of kinds that came up a moment ago, so that a look at them is a whole one. */
  async waitForSync(kinds: Iterable<{ readonly group: string; readonly kind: string }>, within: number): Promise<void> {
    const young = [...kinds]
      .flatMap((kind) => this.#caches.cache(kind) ?? [])
      .filter(({ status }) => status.state === 'syncing');
    if (young.length === 0) return;
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.world.clock.after(within, resolve);
    });
    await Promise.race([Promise.all(young.map((cache) => cache.waitForSync())), late]);
    cancel();
  }

  /** The object as far as it is kept; tracked objects are whole. */
  get(key: Key): KubeObject | undefined {
    return this.#caches.get(key);
  }

  /** The whole object; asked for where only its head is kept. */
  async read(key: Key): Promise<KubeObject | undefined> {
    const known = this.get(key);
    if (known !== undefined && this.#isWhole(known)) return known;
    const kind =
      this.#caches.cache(key)?.kind ??
      this.#served.find((each) => each.kind === key.kind && each.group === key.group && each.preferred);
    if (
      kind === undefined ||
      (known === undefined && this.unreadableReason(key) === undefined && this.#caches.cache(key) !== undefined)
    )
      return undefined;
    return this.cluster.get(kind, { namespace: key.namespace, name: key.name });
  }

  /** All objects that say they belong to the application. */
  ownedBy(application: string): KubeObject[] {
    return [...(this.#byOwner.get(application)?.values() ?? [])];
  }

  /** Heads of objects of any kind that name this uid among their owners. */
  childrenOf(uid: string): KubeObject[] {
    return this.#caches.ownedBy(uid);
  }

  /** Whether the object says that it belongs to an application. */
  isTracked(object: KubeObject): boolean {
    return this.#options.ownerOf(object) !== undefined;
  }

  /** Heads of the objects of a namespace. */
  inNamespace(namespace: string): KubeObject[] {
    return this.#caches.status.kinds.flatMap(({ kind }) => this.#caches.cache(kind)?.list({ namespace }) ?? []);
  }

  /** Whether objects of a kind live in namespaces; no for one that nobody follows. */
  isNamespaced(kind: { readonly group: string; readonly kind: string }): boolean {
    return this.#caches.cache(kind)?.kind.namespaced === true;
  }

  /** Whether news of a kind come by themselves. */
  isWatched(kind: { readonly group: string; readonly kind: string }): boolean {
    return this.#caches.cache(kind) !== undefined;
  }

  /** All objects of a kind, as far as they are kept. */
  listOf(kind: { readonly group: string; readonly kind: string }): KubeObject[] {
    return this.#caches.cache(kind)?.list() ?? [];
  }

  /** What the server answered to a write of `by`. */
  recordWrite(object: KubeObject, by: string): void {
    this.#writer = by;
    try {
      this.#caches.cache(gvkOf(object))?.recordWrite(object);
    } finally {
      this.#writer = undefined;
    }
  }

  /** Resolves when the object with this uid is gone; false where it is still there after `within` milliseconds. */
  waitForDeletion(key: Key, uid: string, within: number): Promise<boolean> {
    const isGone = (): boolean => this.get(key)?.metadata.uid !== uid;
    if (isGone()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const name = keyText(key);
      const waiters = this.#waiters.get(name) ?? new Set();
      this.#waiters.set(name, waiters);
      const end = (): void => {
        cancel();
        waiters.delete(look);
        resolve(isGone());
      };
      const look = (): void => {
        if (isGone()) end();
      };
      const cancel = this.#options.world.clock.after(within, end);
      waiters.add(look);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#rediscovery?.();
    this.#caches.close();
  }

  /** One version of each kind that can be followed and that nobody excluded. */
  #watched(): ResourceRef[] {
    const chosen = new Map<string, ResourceKind>();
    for (const kind of this.#served) {
      if (!REQUIRED_VERBS.every((verb) => kind.verbs.includes(verb)) || this.#options.isExcluded(kind)) continue;
      const name = kindText(kind);
      const known = chosen.get(name);
      if (known === undefined || (kind.preferred && !known.preferred)) chosen.set(name, kind);
    }
    return [...chosen.values()];
  }

  #keep(object: KubeObject): KubeObject {
    if (this.isTracked(object)) return object;
    const { managedFields: _fields, annotations: _annotations, ...metadata } = object.metadata;
    const { apiVersion, kind } = object;
    if (!KEPT_PARTS.has(kindText(gvkOf(object)))) return { apiVersion, kind, metadata };
    return {
      apiVersion,
      kind,
      metadata,
      rules: object.rules ?? null,
      roleRef: object.roleRef ?? null,
      subjects: object.subjects ?? null,
    };
  }

  #isWhole(object: KubeObject): boolean {
    return KEPT_WHOLE.has(kindText(gvkOf(object))) || this.#options.ownerOf(object) !== undefined;
  }

  #handleChange(change: Change): void {
    const now = change.type === 'deleted' ? undefined : change.object;
    const before = change.type === 'added' ? undefined : change.old;
    const object = now ?? before;
    if (object === undefined) return;
    const key = keyOf(object);
    this.#count(key);
    const name = keyText(key);
    const owners = [before, now].map((each) => (each === undefined ? undefined : this.#options.ownerOf(each)));
    const [old, current] = owners;
    if (old !== undefined && old !== current) this.#forget(old, name);
    if (current !== undefined && now !== undefined) this.#remember(current, name, now);
    else if (current === undefined && old !== undefined) this.#forget(old, name);
    for (const look of [...(this.#waiters.get(name) ?? [])]) look();
    if (this.#waiters.get(name)?.size === 0) this.#waiters.delete(name);
    if (key.kind === 'CustomResourceDefinition' || key.kind === 'APIService') this.#rediscover();
    if (this.#isOpen)
      this.#options.onChange({
        key,
        owners: [...new Set(owners.filter((owner) => owner !== undefined))],
        parents: (object.metadata.ownerReferences ?? []).map(({ uid }) => uid),
        writer: this.#writer,
      });
  }

  #count({ group, kind }: Key): void {
    const name = kindText({ group, kind });
    const known = this.events.get(name);
    if (known === undefined) this.events.set(name, { group, kind, count: 1 });
    else known.count++;
  }

  #remember(owner: string, name: string, object: KubeObject): void {
    const objects = this.#byOwner.get(owner) ?? new Map<string, KubeObject>();
    this.#byOwner.set(owner, objects.set(name, object));
  }

  #forget(owner: string, name: string): void {
    const objects = this.#byOwner.get(owner);
    objects?.delete(name);
    if (objects?.size === 0) this.#byOwner.delete(owner);
  }

  /** Definitions come in groups: one look for all of them. */
  #rediscover(): void {
    if (this.#rediscovery !== undefined || this.#isClosed) return;
    this.#rediscovery = this.#options.world.clock.after(REDISCOVERY_DELAY, () => {
      this.#rediscovery = undefined;
      this.discover().then(
        (isNew) => {
          if (isNew) this.#options.onKinds();
        },
        (error: unknown) => {
          if (!(error instanceof Fault)) throw error;
          if (this.#isClosed) return;
          this.#options.world.report(`what ${this.server} serves cannot be read: ${error.message}`);
          this.#rediscover();
        },
      );
    });
  }
}

const REDISCOVERY_DELAY = 50;
const SERVED_POLL_INTERVAL = 50;
const CRD = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };
