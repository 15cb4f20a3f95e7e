import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../../src/apiserver/errors/index.js';
import type { ResourceName, ServedKind, ServedResource, WatchedObject } from '../../../src/apiserver/rest/index.js';
import {
  connect,
  loadKubeconfig,
  systemClock,
  WatchCache,
  type Change,
  type Cluster,
} from '../../../src/cluster/index.js';
import { isObject, listAt, own, parseJson, textAt, type Json, type JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { CRDS, type ResourceRef } from '../../../src/model/resources/index.js';
import { Connection } from '../../apiserver/connection.js';

const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const DEPENDENCIES = { clock: systemClock, random: Math.random, report: () => undefined };

/** A kind as the server serves it. */
export interface MirroredKind extends ServedKind {
  readonly ref: ResourceRef;
}

/** Objects that are made from others, of a kind that no CustomResourceDefinition could serve. */
export interface ComputedKind {
  readonly of: ResourceName;
  objects(mirror: Mirror): KubeObject[];
}

/**
 * The objects of a server that is reached over HTTP, kept at hand for controllers that read in this process. A kind is
 * watched from the moment when somebody first asks for it, and counts as served when it has been read.
 */
export class Mirror {
  readonly #kinds = new Map<string, MirroredKind>();
  readonly #caches = new Map<string, { readonly cache: WatchCache; isRead: boolean }>();
  readonly #listeners = new Set<(of: ServedResource) => void>();
  readonly #computed = new Map<string, ComputedKind>();
  #isClosed = false;

  private constructor(
    readonly connection: Connection,
    readonly cluster: Cluster,
  ) {}

  static async open(kubeconfigPath: string): Promise<Mirror> {
    const config = await loadKubeconfig({ path: kubeconfigPath, environment: {}, defaultPath: kubeconfigPath });
    const mirror = new Mirror(
      new Connection(kubeconfigPath),
      connect(config, DEPENDENCIES, { version: 'played', environment: {} }),
    );
    await mirror.discover();
    const definitions = await mirror.follow(CRDS);
    definitions.subscribe(() => void mirror.#discoverAgain());
    return mirror;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { cache } of this.#caches.values()) cache.close();
    await this.cluster.close();
    await this.connection.close();
  }

  compute(kind: ComputedKind): void {
    this.#computed.set(keyOf(kind.of), kind);
  }

  /** Reads anew what the server serves. */
  async discover(): Promise<void> {
    for (const path of ['/api', '/apis']) {
      const { text } = await this.connection.send({
        method: 'GET',
        path,
        headers: { accept: DISCOVERY },
        body: undefined,
      });
      for (const kind of kindsIn(parseJson(text))) this.#kinds.set(keyOf(kind), kind);
    }
  }

  /** A definition is served some moments after it is there. */
  async #discoverAgain(): Promise<void> {
    for (const delay of [100, 500, 2000]) {
      await pause(delay, undefined, { ref: false });
      if (this.#isClosed) return;
      const known = new Set(this.#kinds.keys());
      await this.discover().catch(() => undefined);
      for (const [key, kind] of this.#kinds) if (!known.has(key)) this.#tell(kind);
    }
  }

  #tell(kind: ServedResource): void {
    for (const listener of this.#listeners) listener(kind);
  }

  /** Tells of every kind now and when it appears, and once more when it has been read. */
  onServed(listener: (of: ServedResource) => void): () => void {
    this.#listeners.add(listener);
    for (const kind of this.#kinds.values()) listener(kind);
    return () => this.#listeners.delete(listener);
  }

  kindOf(of: ResourceName): MirroredKind {
    const kind = this.#kinds.get(keyOf(of));
    if (kind === undefined) throw new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
    return kind;
  }

  byKind(group: string, name: string): MirroredKind | undefined {
    return [...this.#kinds.values()].find((each) => each.group === group && each.kind === name);
  }

  /** The kind, where its objects are at hand; asking for it is what brings them there. */
  served(group: string, name: string): MirroredKind | undefined {
    const kind = this.byKind(group, name);
    if (kind === undefined) return undefined;
    const { isRead } = this.#watched(kind);
    return isRead ? kind : undefined;
  }

  /** Begins to watch a kind; resolves when it has been read. */
  async follow(of: ResourceName): Promise<WatchCache> {
    const { cache } = this.#watched(this.kindOf(of));
    await cache.waitForSync();
    return cache;
  }

  get(of: ResourceName, namespace: string, name: string): KubeObject | undefined {
    const computed = this.#computed.get(keyOf(of));
    if (computed !== undefined)
      return computed
        .objects(this)
        .find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace);
    const kind = this.kindOf(of);
    return this.#watched(kind).cache.get(kind.namespaced ? namespace : '', name);
  }

  list(of: ResourceName, namespace = ''): KubeObject[] {
    const computed = this.#computed.get(keyOf(of));
    const inNamespace = ({ metadata }: KubeObject): boolean =>
      namespace === '' || (metadata.namespace ?? '') === namespace;
    if (computed !== undefined) return computed.objects(this).filter(inNamespace);
    return this.#watched(this.kindOf(of)).cache.list().filter(inNamespace).sort(byName);
  }

  watch(of: ResourceName, listener: (event: WatchedObject) => void): { close(): void } {
    return { close: this.#watched(this.kindOf(of)).cache.subscribe((change) => listener(eventOf(change))) };
  }

  /** What the server answered to a write is known at once. */
  wrote(kind: MirroredKind, object: KubeObject): void {
    this.#watched(kind).cache.recordWrite(object);
  }

  #watched(kind: MirroredKind): { readonly cache: WatchCache; readonly isRead: boolean } {
    const key = keyOf(kind);
    const known = this.#caches.get(key);
    if (known !== undefined) return known;
    const watched = { cache: new WatchCache(this.cluster, kind.ref, DEPENDENCIES), isRead: false };
    this.#caches.set(key, watched);
    void watched.cache.waitForSync().then(() => {
      watched.isRead = true;
      if (!this.#isClosed) this.#tell(kind);
    });
    return watched;
  }
}

function keyOf({ group, plural }: ResourceName): string {
  return `${group}/${plural}`;
}

function byName({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const text = ({ namespace = '', name = '' }: KubeObject['metadata']): string => `${namespace}/${name}`;
  return text(a) < text(b) ? -1 : 1;
}

function eventOf(change: Change): WatchedObject {
  switch (change.type) {
    case 'added':
      return { type: 'ADDED', object: change.object, previous: undefined };
    case 'updated':
      return { type: 'MODIFIED', object: change.object, previous: change.old };
    default:
      return { type: 'DELETED', object: change.old, previous: change.old };
  }
}

/** The kinds of a discovery document that can be watched, each in the version that the server prefers. */
function kindsIn(document: Json): MirroredKind[] {
  return listAt(document, 'items').flatMap((item) => {
    const group = textAt(item, 'metadata', 'name');
    const found = new Map<string, MirroredKind>();
    for (const served of listAt(item, 'versions')) {
      const resources = listAt(served, 'resources')
        .filter(isObject)
        .filter((resource) => listAt(resource, 'verbs').includes('watch'));
      for (const resource of resources) {
        const kind = kindFrom(resource, group, textAt(served, 'version'));
        if (!found.has(kind.plural)) found.set(kind.plural, kind);
      }
    }
    return [...found.values()];
  });
}

function kindFrom(resource: JsonObject, group: string, version: string): MirroredKind {
  const [plural, kind] = [textAt(resource, 'resource'), textAt(resource, 'responseKind', 'kind')];
  const namespaced = own(resource, 'scope') === 'Namespaced';
  const subresources = listAt(resource, 'subresources').map((each) => textAt(each, 'subresource'));
  return {
    group,
    plural,
    kind,
    namespaced,
    hasStatus: subresources.includes('status'),
    ref: { group, version, plural, kind, namespaced },
  };
}
