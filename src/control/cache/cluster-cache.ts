import { Fault } from '../../model/faults/index.js';
import { gvkOf, keyOf, keyText, splitApiVersion, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject } from '../../model/json/index.js';
import { findScopeViolation, isKindInScope, type ClusterScope } from '../../model/argo/index.js';
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
  /** What of it is listed, watched and delivered to. */
  readonly scope: ClusterScope;
  readonly world: ClientDependencies;
  /** Kinds that are neither watched nor delivered. */
  readonly isExcluded: (kind: { readonly group: string; readonly kind: string }) => boolean;
  /** The application that an object says it belongs to. */
  readonly ownerOf: (object: KubeObject) => string | undefined;
  /** Called for each changed object, with the applications that it named before and now. */
  readonly onChange: (change: ObjectChange) => void;
  /** The served kinds have changed: every application has to be reconciled. */
  readonly onKinds: () => void;
}

export interface ObjectChange {
  readonly key: Key;
  readonly owners: readonly string[];
  /** The uids of its owners, as it is or was. */
  readonly parents: readonly string[];
  /** The application that wrote it, if it was written by us: `recordWrite` names it. */
  readonly writer: string | undefined;
}

/** Kinds that are kept whole because health checks and gates read them. */
const KEPT_WHOLE = new Set([
  'storage.k8s.io/StorageClass',
  'Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'image.openshift.io/ImageStream',
  'build.openshift.io/Build',
]);
/** Kinds of which rules and subjects are kept even if no application owns the object. */
const KEPT_PARTS = new Set(
  ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => `rbac.authorization.k8s.io/${kind}`),
);
/** Verbs without which a kind cannot be watched. */
const REQUIRED_VERBS = ['list', 'watch'];

/**
 * What is known of one cluster: the kinds that it serves, all tracked objects, and the metadata of all others. Kinds
 * come and go with their definitions; one that cannot be read does not affect the others.
 */
export class ClusterCache {
  readonly #options: ClusterCacheOptions;
  readonly #caches: CacheSet;
  readonly #byOwner = new Map<string, Map<string, KubeObject>>();
  readonly #waiters = new Map<string, Set<() => void>>();
  /** Events so far, by kind. */
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
  /** Until the first lists are complete, changes are not reported. */
  #isOpen = false;
  #isClosed = false;
  #rediscovery: (() => void) | undefined;
  #stopRegular: (() => void) | undefined;

  private constructor(options: ClusterCacheOptions) {
    this.#options = options;
    this.#caches = watchKinds(options.cluster, [], options.world, {
      namespaces: options.scope.namespaces,
      cache: (kind) => ({
        ...(KEPT_WHOLE.has(kindText(kind)) ? {} : { keep: (object) => this.#keep(object) }),
        // A kind has become readable, or unreadable.
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
    const cache = new ClusterCache(options);
    try {
      await cache.discover();
      await cache.#caches.waitForSync(within);
      cache.#isOpen = true;
      if (!isKindInScope(options.scope, { namespaced: false })) cache.#rediscoverRegularly();
      return cache;
    } catch (error) {
      cache.close();
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

  /** `apps/v1` and `apps/v1/Deployment`, as `.Capabilities.APIVersions` of Helm has them. */
  get apiVersions(): readonly string[] {
    return this.#apiVersions;
  }

  /** Changes with the served kinds; the same in every process. */
  get kindsDigest(): string {
    return this.#digest;
  }

  get status(): CacheSet['status'] {
    return this.#caches.status;
  }

  /** Reads the served kinds again; true if they have changed. */
  async discover(): Promise<boolean> {
    const [discovery, version] = await Promise.all([this.cluster.discover(), this.cluster.document('/version')]);
    const gitVersion = isObject(version) && typeof version.gitVersion === 'string' ? version.gitVersion : '';
    this.#version = gitVersion.replace(/^v/, '').replace(/[+-][^]*$/, '');
    this.#failed = discovery.failed;
    // A group that does not answer keeps its kinds: nobody has removed them.
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

  /** How the kind of an object is addressed; undefined if the cluster does not serve it. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): ResourceKind | undefined {
    return this.#kinds.get(`${object.apiVersion} ${object.kind}`);
  }

  /** The kind that kubectl takes a word for: plural, singular, short name or kind, optionally with its group. */
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

  /** A served kind of the same name, in another version or else in another group. */
  servedInstead(object: KubeObject): ResourceKind | undefined {
    const { group, kind } = gvkOf(object);
    const named = this.#served.filter((each) => each.kind === kind);
    return named.find((each) => each.group === group) ?? named[0];
  }

  /** Waits until a defined kind is served; undefined if it has no definition or the time is over. */
  async waitForKind(object: KubeObject, within: number): Promise<ResourceKind | undefined> {
    const { clock } = this.#options.world;
    const until = clock.steady() + within;
    // Definitions that are not watched may have come unnoticed.
    if (this.#caches.cache(CRD) === undefined && (await this.discover())) this.#options.onKinds();
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

  /** Why objects of this kind may exist without being known; undefined if all are known. */
  unreadableReason(kind: { readonly group: string; readonly kind: string }): string | undefined {
    const cache = this.#caches.cache(kind);
    if (cache !== undefined) {
      const { state, reason } = cache.status;
      return state === 'live' || state === 'stale' ? undefined : `${kindText(kind)} cannot be read: ${reason}`;
    }
    const silent = this.#failed.find(({ groupVersion }) => splitApiVersion(groupVersion).group === kind.group);
    return silent === undefined ? undefined : `${silent.groupVersion} does not respond: ${silent.message}`;
  }

  /** Milliseconds since the last event of any kind, while no watch is connected. */
  get disconnectedFor(): number | undefined {
    return this.#caches.silence;
  }

  /** Waits for the first list of kinds that are new, so that a comparison is complete. */
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

  /** Why the Secret of the cluster does not let the object be managed; undefined if it does. */
  findScopeViolation(key: Pick<Key, 'kind' | 'namespace' | 'name'>): string | undefined {
    return findScopeViolation(this.#options.scope, key);
  }

  /** The object as far as it is cached; tracked objects are whole. */
  get(key: Key): KubeObject | undefined {
    return this.#caches.get(key);
  }

  /** The whole object; read from the server if only its metadata is cached. */
  async read(key: Key): Promise<KubeObject | undefined> {
    const known = this.get(key);
    if (known !== undefined && this.#isWhole(known)) return known;
    if (this.findScopeViolation(key) !== undefined) return undefined;
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

  /** All objects that are tracked as the application's. */
  ownedBy(application: string): KubeObject[] {
    return [...(this.#byOwner.get(application)?.values() ?? [])];
  }

  /** Metadata of all objects with this uid in their owner references. */
  childrenOf(uid: string): KubeObject[] {
    return this.#caches.ownedBy(uid);
  }

  /** Whether the object is tracked as an application's. */
  isTracked(object: KubeObject): boolean {
    return this.ownerOf(object) !== undefined;
  }

  /** The application that the object is tracked as belonging to, if any. */
  ownerOf(object: KubeObject): string | undefined {
    return this.#options.ownerOf(object);
  }

  /** Metadata of the objects in a namespace. */
  inNamespace(namespace: string): KubeObject[] {
    return this.#caches.status.kinds.flatMap(({ kind }) => this.#caches.cache(kind)?.list({ namespace }) ?? []);
  }

  /** Whether a kind is namespaced; false for one that is not watched. */
  isNamespaced(kind: { readonly group: string; readonly kind: string }): boolean {
    return this.#caches.cache(kind)?.kind.namespaced === true;
  }

  /** Whether changes of a kind are reported without a request. */
  isWatched(kind: { readonly group: string; readonly kind: string }): boolean {
    return this.#caches.cache(kind) !== undefined;
  }

  /** All objects of a kind, as far as they are cached. */
  listOf(kind: { readonly group: string; readonly kind: string }): KubeObject[] {
    return this.#caches.cache(kind)?.list() ?? [];
  }

  /** The answer of the server to a write of the application `by`: it is known before the watch reports it. */
  recordWrite(object: KubeObject, by: string): void {
    this.#writer = by;
    try {
      this.#caches.cache(gvkOf(object))?.recordWrite(object);
    } finally {
      this.#writer = undefined;
    }
  }

  /** Resolves when the object with this uid is gone; false if it still exists after `within` milliseconds. */
  waitForDeletion(key: Key, uid: string, within: number): Promise<boolean> {
    const isGone = (): boolean => this.get(key)?.metadata.uid !== uid;
    if (isGone()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const name = keyText(key);
      const waiters = this.#waiters.get(name) ?? new Set();
      this.#waiters.set(name, waiters);
      const end = (): void => {
        cancel();
        waiters.delete(check);
        resolve(isGone());
      };
      const check = (): void => {
        if (isGone()) end();
      };
      const cancel = this.#options.world.clock.after(within, end);
      waiters.add(check);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#rediscovery?.();
    this.#stopRegular?.();
    this.#caches.close();
  }

  /** One version of each kind that can be watched and is not excluded. */
  #watched(): ResourceRef[] {
    const chosen = new Map<string, ResourceKind>();
    for (const kind of this.#served) {
      if (!REQUIRED_VERBS.every((verb) => kind.verbs.includes(verb)) || this.#options.isExcluded(kind)) continue;
      if (!isKindInScope(this.#options.scope, kind)) continue;
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
    for (const check of [...(this.#waiters.get(name) ?? [])]) check();
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

  /** Where definitions are not watched, nothing else says that a kind has come. */
  #rediscoverRegularly(): void {
    this.#stopRegular = this.#options.world.clock.after(REDISCOVERY_INTERVAL, () => {
      this.#rediscover();
      this.#rediscoverRegularly();
    });
  }

  /** Definitions come in groups: one discovery serves all of them. */
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
          this.#options.world.report(`API discovery of ${this.server} failed: ${error.message}`);
          this.#rediscover();
        },
      );
    });
  }
}

const REDISCOVERY_DELAY = 50;
const REDISCOVERY_INTERVAL = 60_000;
const SERVED_POLL_INTERVAL = 50;
const CRD = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };
