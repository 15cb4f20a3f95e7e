import { Fault, type KubeObject, type LabelSelector } from '../model/index.js';
import { PAGE_SIZE } from './client.js';
import type { World } from './clock.js';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster-error.js';
import { Limiter } from './limiter.js';
import { entryOf, ObjectIndex, type Change, type Entry } from './object-index.js';
import { Pacer, type Pace } from './pacer.js';
import { kindText, type ResourceRef } from './resource-kind.js';
import { judge } from './verdict.js';
import { WATCH_LIMITS, type WatchEnd, type WatchEvent, type WatchLimits } from './watch-stream.js';

/**
 * syncing: not yet read once. live: read, and the server tells every change. stale: read, and the connection is lost.
 * forbidden: we may not read this kind. broken: the server does not serve it, or what it says cannot be read.
 */
export type CacheState = 'syncing' | 'live' | 'stale' | 'forbidden' | 'broken';

export interface CacheStatus {
  readonly state: CacheState;
  /** Why it is not live; empty where it is. */
  readonly reason: string;
  /** Milliseconds since the server was last heard of this kind; undefined before the first list. */
  readonly age: number | undefined;
  readonly objects: number;
  /** Whole lists read so far. */
  readonly lists: number;
}

export interface CacheOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly pageSize?: number;
  /** Keeps less of each object, to save memory. What it throws is reported, and the object kept whole. */
  readonly keep?: (object: KubeObject) => KubeObject;
  readonly timing?: Partial<CacheTiming>;
  /** Told when the kind cannot be read any more, and when it can again. */
  readonly onReadable?: () => void;
}

export interface CacheTiming extends Pace, WatchLimits {
  /** For one page of a list. */
  readonly page: number;
  /** The server ends a watch after one to two times this many seconds. */
  readonly watchSeconds: number;
}

const CACHE_TIMING: CacheTiming = {
  ...WATCH_LIMITS,
  floor: 1000,
  most: 10_000,
  slow: 60_000,
  page: 60_000,
  watchSeconds: 300,
};
/** So many failures of one sort in a row mean that more of the same will not help. */
const STUCK = 3;
const MOST_BURIED = 1000;

interface Listing {
  readonly entries: Entry[];
  readonly pageSize: number;
  token: string;
}

/**
 * All objects of one kind, kept equal to the server. It reads the list, then follows changes from there; after any
 * fault it goes on from the last version it saw, and reads the list again only when the server no longer has that
 * version. Whatever was deleted meanwhile is gone afterwards. It never gives up, and never asks more than once a
 * second while asking fails. Objects are shared: do not change them.
 */
export class WatchCache {
  readonly #index = new ObjectIndex();
  readonly #timing: CacheTiming;
  readonly #pacer: Pacer;
  readonly #closing = new AbortController();
  readonly #subscribers = new Set<(change: Change) => void>();
  /** Versions that we know from answers, by uid, until the stream gets there. */
  readonly #learned = new Map<string, string>();
  /** Uids of the last objects that went. */
  readonly #buried = new Set<string>();
  readonly #settled: Promise<void>;
  #settle: () => void = () => undefined;
  #stream: AbortController | undefined;
  /** Where to go on; undefined: the list must be read. */
  #version: string | undefined;
  #listing: Listing | undefined;
  #state: CacheState = 'syncing';
  #reason = 'the list is being read';
  #heard: number | undefined;
  #lists = 0;
  #stuck = 0;
  #refusals = 0;

  constructor(
    readonly cluster: Cluster,
    readonly kind: ResourceRef,
    readonly world: World,
    readonly options: CacheOptions = {},
    readonly limiter = new Limiter(1),
  ) {
    this.#timing = { ...CACHE_TIMING, ...options.timing };
    this.#pacer = new Pacer(world, this.#timing);
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    void this.#run();
  }

  get status(): CacheStatus {
    return {
      state: this.#state,
      reason: this.#reason,
      age: this.#heard === undefined ? undefined : this.world.clock.steady() - this.#heard,
      objects: this.#index.size,
      lists: this.#lists,
    };
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#index.get(namespace, name);
  }

  byUid(uid: string): KubeObject | undefined {
    return this.#index.byUid(uid);
  }

  /** Objects that name this uid among their owners. */
  ownedBy(uid: string): KubeObject[] {
    return this.#index.ownedBy(uid);
  }

  list(options?: { readonly namespace?: string; readonly selector?: LabelSelector }): KubeObject[] {
    return this.#index.list(options);
  }

  /** Told of every object there is, then of every change, in order. The returned function ends it. */
  subscribe(handler: (change: Change) => void): () => void {
    for (const object of this.#index.list()) this.#tell(handler, { type: 'added', object });
    this.#subscribers.add(handler);
    return () => {
      this.#subscribers.delete(handler);
    };
  }

  /**
   * What the server answered to a write of ours is known at once. Older news of the same object that are still on their
   * way are passed over.
   */
  learn(object: KubeObject): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.#lists === 0 || uid === undefined || resourceVersion === undefined || !/^\d+$/.test(resourceVersion))
      return;
    // The answer to a write may come after the news that the object is gone.
    if (this.#isOld(object) || this.#buried.has(uid)) return;
    const known = this.#index.byUid(uid)?.metadata.resourceVersion;
    if (known !== undefined && isEarlier(resourceVersion, known)) return;
    this.#learned.set(uid, resourceVersion);
    for (const change of this.#index.set(this.#entry(object))) this.#announce(change);
  }

  /** Resolves when the list was read once, or when it is clear that it cannot be read now. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /** Reads the whole list again, whatever the stream says. */
  refresh(): void {
    this.#version = undefined;
    this.#stream?.abort();
  }

  close(): void {
    this.#closing.abort();
    this.#stream?.abort();
    this.#settle();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        if (this.#version === undefined) await this.#readList();
        else await this.#follow(this.#version, true);
        await this.#pacer.wait('quick', 0, this.#closing.signal);
      } catch (error) {
        await this.#recover(error);
      }
    }
  }

  /** Pages follow one another at once; a page that fails is asked for again, not the whole list. */
  async #readList(): Promise<void> {
    for (;;) {
      const listing = (this.#listing ??= { entries: [], pageSize: this.options.pageSize ?? PAGE_SIZE, token: '' });
      const { namespace, labelSelector, fieldSelector } = this.options;
      const page = await this.limiter.run(() => {
        this.#pacer.request();
        return this.cluster.page(this.kind, {
          namespace,
          labelSelector,
          fieldSelector,
          pageSize: listing.pageSize,
          continue: listing.token,
          signal: this.#closing.signal,
          limits: { tries: 1, timeout: this.#timing.page },
        });
      });
      for (const item of page.items) listing.entries.push(this.#entry(item));
      listing.token = page.continue;
      if (page.continue !== '') continue;
      this.#listing = undefined;
      this.#version = page.resourceVersion;
      this.#lists++;
      this.#become('live', '');
      this.#heard = this.world.clock.steady();
      this.#learned.clear();
      for (const change of this.#index.replace(listing.entries)) this.#announce(change);
      this.#settle();
      return this.#follow(page.resourceVersion, false);
    }
  }

  async #follow(version: string, isResumed: boolean): Promise<void> {
    const { clock, random } = this.world;
    const stream = new AbortController();
    this.#stream = stream;
    const { namespace, labelSelector, fieldSelector } = this.options;
    const { silence, opening, event, watchSeconds, floor } = this.#timing;
    const life: Life = { opened: undefined, events: 0 };
    let stopDoubt = (): void => undefined;
    this.#pacer.request();
    try {
      const end = await this.cluster.watch(
        this.kind,
        {
          namespace,
          labelSelector,
          fieldSelector,
          resourceVersion: version,
          seconds: Math.round(watchSeconds * (1 + random())),
          limits: { silence, opening, event },
        },
        {
          opened: () => {
            life.opened = clock.steady();
            this.#become('live', '');
            if (isResumed)
              stopDoubt = clock.after(floor, () => {
                if (life.events === 0) void this.#verify(version, stream);
              });
          },
          heard: () => {
            this.#heard = clock.steady();
          },
          event: (told) => {
            life.events++;
            this.#take(told);
          },
        },
        stream.signal,
      );
      if (!this.#isClosed) this.#ended(end, life);
    } finally {
      stopDoubt();
      stream.abort();
    }
  }

  #take(event: WatchEvent): void {
    this.#stuck = 0;
    this.#pacer.succeeded();
    // Set first: a handler that asks for a refresh must win.
    this.#version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    if (event.type === 'BOOKMARK' || (event.type !== 'DELETED' && this.#isOld(event.object))) return;
    if (event.type === 'DELETED') this.#bury(event.object.metadata.uid ?? '');
    const changes =
      event.type === 'DELETED' ? this.#index.delete(event.object) : this.#index.set(this.#entry(event.object));
    for (const change of changes) this.#announce(change);
  }

  /** A stream is over: from where to go on, and whether that was a failure. */
  #ended(end: WatchEnd, life: Life): void {
    const lived = life.opened === undefined ? 0 : this.world.clock.steady() - life.opened;
    const wasUseful = life.events > 0 || (end.kind === 'ended' && lived > STUCK * this.#timing.floor);
    if (wasUseful) this.#pacer.succeeded();
    else if (lived < this.#timing.floor) this.#pacer.refused();
    else this.#pacer.failed();
    this.#become('stale', reasonOf(end, this.#timing.silence));
    if (end.kind === 'error' && end.error.isExpired) this.#version = undefined;
    else if ((end.kind === 'error' || end.kind === 'unreadable') && !wasUseful && ++this.#stuck >= STUCK) {
      this.#stuck = 0;
      this.#version = undefined;
    }
  }

  /**
   * A server whose storage was set back waits silently for a version that lies in its future, and tells nothing
   * until it gets there. So a resumed stream that is quiet is checked once.
   */
  async #verify(version: string, stream: AbortController): Promise<void> {
    const { namespace } = this.options;
    try {
      await this.cluster.page(this.kind, {
        namespace,
        pageSize: 1,
        resourceVersion: version,
        resourceVersionMatch: 'NotOlderThan',
        signal: stream.signal,
        limits: { tries: 1, timeout: this.#timing.opening },
      });
    } catch (error) {
      // Any other failure says nothing about the version: the stream itself will show it.
      if (!(error instanceof ClusterError) || !error.isFromTheFuture || this.#version !== version) return;
      this.#version = undefined;
      stream.abort();
    }
  }

  /** A request was refused or got no answer. */
  async #recover(error: unknown): Promise<void> {
    this.#pacer.refused();
    if (!(error instanceof Fault)) this.world.report(`watch of ${kindText(this.kind)}: ${String(error)}`);
    const verdict = judge(error);
    const { next, reason, wait } = verdict;
    // A server that has just started knows nobody for a moment: what could be read before is not given up at the first
    // refusal.
    this.#refusals = verdict.kind === 'forbidden' ? this.#refusals + 1 : 0;
    const kind = verdict.kind === 'forbidden' && this.#lists > 0 && this.#refusals < STUCK * 2 ? 'lost' : verdict.kind;
    // A server that says when to ask again is only not ready yet, as with a kind whose definition is a moment old.
    const isHopeless =
      kind === 'lost' &&
      wait === 0 &&
      this.#lists === 0 &&
      error instanceof ClusterError &&
      this.#pacer.failures >= STUCK;
    if (kind === 'lost' && !isHopeless) this.#become(this.#lists === 0 ? 'syncing' : 'stale', reason);
    else {
      this.#become(kind === 'lost' ? 'broken' : kind, reason);
      this.#settle();
    }
    if (next !== 'same') this.#startOver(next);
    await this.#pacer.wait(kind === 'lost' ? 'quick' : 'slow', wait, this.#closing.signal);
  }

  /** The version or the token is of no use any more. A list that expired between two pages is read in one piece. */
  #startOver(how: 'list' | 'smaller-pages'): void {
    const size = this.#listing?.pageSize;
    this.#version = undefined;
    if (size === undefined) return;
    const smaller = size === 0 ? PAGE_SIZE : Math.ceil(size / 5);
    this.#listing = { entries: [], pageSize: how === 'list' ? 0 : smaller, token: '' };
  }

  #become(state: CacheState, reason: string): void {
    const isNews = isUnreadable(state) !== isUnreadable(this.#state);
    this.#state = state;
    this.#reason = reason;
    if (isNews) this.options.onReadable?.();
  }

  #isOld({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): boolean {
    const learned = this.#learned.get(uid);
    if (learned === undefined) return false;
    if (/^\d+$/.test(resourceVersion) && isEarlier(resourceVersion, learned)) return true;
    this.#learned.delete(uid);
    return false;
  }

  #bury(uid: string): void {
    this.#learned.delete(uid);
    this.#buried.add(uid);
    for (const oldest of this.#buried) {
      if (this.#buried.size <= MOST_BURIED) break;
      this.#buried.delete(oldest);
    }
  }

  #entry(object: KubeObject): Entry {
    const { keep } = this.options;
    if (keep === undefined) return entryOf(object, object);
    try {
      return entryOf(object, keep(object));
    } catch (error) {
      this.world.report(
        `what to keep of ${kindText(this.kind)} ${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''} failed, so all is kept: ${String(error)}`,
      );
      return entryOf(object, object);
    }
  }

  #announce(change: Change): void {
    for (const handler of this.#subscribers) this.#tell(handler, change);
  }

  #tell(handler: (change: Change) => void, change: Change): void {
    try {
      handler(change);
    } catch (error) {
      this.world.report(`a handler of ${kindText(this.kind)} failed: ${String(error)}`);
    }
  }
}

interface Life {
  opened: number | undefined;
  events: number;
}

/** Versions of one kind are decimal numbers that grow. */
function isEarlier(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

function reasonOf(end: WatchEnd, silence: number): string {
  switch (end.kind) {
    case 'ended':
      return 'the server ended the watch';
    case 'silent':
      return `not a byte for ${silence / 1000} s`;
    case 'error':
      return end.error.message;
    case 'cut':
      return end.fault.message;
    case 'unreadable':
      return end.fault.message;
    default:
      return end satisfies never;
  }
}

function isUnreadable(state: CacheState): boolean {
  return state === 'forbidden' || state === 'broken';
}
