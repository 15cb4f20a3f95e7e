import { Fault } from '../../model/faults/index.js';
import type { KubeObject, LabelSelector } from '../../model/kubernetes/index.js';
import {
  type Cluster,
  PAGE_SIZE,
  WATCH_LIMITS,
  type WatchEnd,
  type WatchEvent,
  type WatchLimits,
  kindText,
} from '../client/index.js';
import type { ResourceRef } from '../../model/resources/index.js';
import { type ClientDependencies, Limiter, RequestBackoff, type BackoffLimits } from '../timing/index.js';
import { ClusterError } from '../transport/index.js';
import { entryOf, ObjectIndex, type Change, type Entry } from './object-index.js';
import { classifyFailure } from './classify-failure.js';

/**
 * syncing: not yet read once. live: read, and the server sends every change. stale: read, and the connection is lost.
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

export interface CacheTiming extends BackoffLimits, WatchLimits {
  /** For one page of a list. */
  readonly page: number;
  /** The server ends a watch after one to two times this many seconds. */
  readonly watchSeconds: number;
}

const CACHE_TIMING: CacheTiming = {
  ...WATCH_LIMITS,
  min: 1000,
  max: 10_000,
  slowMax: 60_000,
  page: 60_000,
  watchSeconds: 300,
};
/** So many failures of one sort in a row mean that more of the same will not help. */
const MAX_REPEATED_FAILURES = 3;
const MAX_DELETED_UIDS = 1000;

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
  readonly #backoff: RequestBackoff;
  readonly #closing = new AbortController();
  readonly #subscribers = new Set<(change: Change) => void>();
  /** Versions that we know from answers, by uid, until the stream gets there. */
  readonly #writtenVersions = new Map<string, string>();
  /** Uids of the last objects that went. */
  readonly #deletedUids = new Set<string>();
  readonly #synced: Promise<void>;
  #markSynced: () => void = () => undefined;
  #stream: AbortController | undefined;
  /** Where to go on; undefined: the list must be read. */
  #version: string | undefined;
  #listing: Listing | undefined;
  #state: CacheState = 'syncing';
  #reason = 'the list is being read';
  #lastContact: number | undefined;
  #lists = 0;
  #repeatedFailures = 0;
  #forbiddenAnswers = 0;

  constructor(
    readonly cluster: Cluster,
    readonly kind: ResourceRef,
    readonly dependencies: ClientDependencies,
    readonly options: CacheOptions = {},
    readonly limiter = new Limiter(1),
  ) {
    this.#timing = { ...CACHE_TIMING, ...options.timing };
    this.#backoff = new RequestBackoff(dependencies, this.#timing);
    this.#synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
    void this.#run();
  }

  get status(): CacheStatus {
    return {
      state: this.#state,
      reason: this.#reason,
      age: this.#lastContact === undefined ? undefined : this.dependencies.clock.steady() - this.#lastContact,
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
    for (const object of this.#index.list()) this.#notify(handler, { type: 'added', object });
    this.#subscribers.add(handler);
    return () => {
      this.#subscribers.delete(handler);
    };
  }

  /**
   * What the server answered to a write of ours is known at once. Older events of the same object that are still on
   * their way are passed over.
   */
  recordWrite(object: KubeObject): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.#lists === 0 || uid === undefined || resourceVersion === undefined || !/^\d+$/.test(resourceVersion))
      return;
    // The answer to a write may come after the event of its deletion.
    if (this.#isOld(object) || this.#deletedUids.has(uid)) return;
    const known = this.#index.byUid(uid)?.metadata.resourceVersion;
    if (known !== undefined && isEarlier(resourceVersion, known)) return;
    this.#writtenVersions.set(uid, resourceVersion);
    for (const change of this.#index.set(this.#entry(object))) this.#announce(change);
  }

  /** Resolves when the list was read once, or when it is clear that it cannot be read now. */
  waitForSync(): Promise<void> {
    return this.#synced;
  }

  /** Reads the whole list again, whatever the stream says. */
  refresh(): void {
    this.#version = undefined;
    this.#stream?.abort();
  }

  close(): void {
    this.#closing.abort();
    this.#stream?.abort();
    this.#markSynced();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        if (this.#version === undefined) await this.#readList();
        else await this.#follow(this.#version, true);
        await this.#backoff.wait('quick', 0, this.#closing.signal);
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
        this.#backoff.request();
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
      this.#setState('live', '');
      this.#lastContact = this.dependencies.clock.steady();
      this.#writtenVersions.clear();
      for (const change of this.#index.replace(listing.entries)) this.#announce(change);
      this.#markSynced();
      return this.#follow(page.resourceVersion, false);
    }
  }

  async #follow(version: string, isResumed: boolean): Promise<void> {
    const { clock, random } = this.dependencies;
    const stream = new AbortController();
    this.#stream = stream;
    const { namespace, labelSelector, fieldSelector } = this.options;
    const { silence, opening, event, watchSeconds, min } = this.#timing;
    const life: StreamStats = { opened: undefined, events: 0 };
    let stopDoubt = (): void => undefined;
    this.#backoff.request();
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
            this.#setState('live', '');
            if (isResumed)
              stopDoubt = clock.after(min, () => {
                if (life.events === 0) void this.#verify(version, stream);
              });
          },
          received: () => {
            this.#lastContact = clock.steady();
          },
          event: (watchEvent) => {
            life.events++;
            this.#take(watchEvent);
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
    this.#repeatedFailures = 0;
    this.#backoff.succeeded();
    // Set first: a handler that asks for a refresh must win.
    this.#version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    if (event.type === 'BOOKMARK' || (event.type !== 'DELETED' && this.#isOld(event.object))) return;
    if (event.type === 'DELETED') this.#rememberDeleted(event.object.metadata.uid ?? '');
    const changes =
      event.type === 'DELETED' ? this.#index.delete(event.object) : this.#index.set(this.#entry(event.object));
    for (const change of changes) this.#announce(change);
  }

  /** A stream is over: from where to go on, and whether that was a failure. */
  #ended(end: WatchEnd, life: StreamStats): void {
    const lived = life.opened === undefined ? 0 : this.dependencies.clock.steady() - life.opened;
    const wasUseful = life.events > 0 || (end.kind === 'ended' && lived > MAX_REPEATED_FAILURES * this.#timing.min);
    if (wasUseful) this.#backoff.succeeded();
    else if (lived < this.#timing.min) this.#backoff.refused();
    else this.#backoff.failed();
    this.#setState('stale', reasonOf(end, this.#timing.silence));
    if (end.kind === 'error' && end.error.isExpired) this.#version = undefined;
    else if (
      (end.kind === 'error' || end.kind === 'unreadable') &&
      !wasUseful &&
      ++this.#repeatedFailures >= MAX_REPEATED_FAILURES
    ) {
      this.#repeatedFailures = 0;
      this.#version = undefined;
    }
  }

  /**
   * A server whose storage was set back waits silently for a version that lies in its future, and sends nothing until
   * it gets there. So a resumed stream that is quiet is checked once.
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
      if (!(error instanceof ClusterError) || !error.isVersionTooLarge || this.#version !== version) return;
      this.#version = undefined;
      stream.abort();
    }
  }

  /** A request was refused or got no answer. */
  async #recover(error: unknown): Promise<void> {
    this.#backoff.refused();
    if (!(error instanceof Fault)) this.dependencies.report(`watch of ${kindText(this.kind)}: ${String(error)}`);
    const failure = classifyFailure(error);
    const { next, reason, wait } = failure;
    // A server that has just started knows nobody for a moment: what could be read before is not given up at the first
    // refusal.
    this.#forbiddenAnswers = failure.kind === 'forbidden' ? this.#forbiddenAnswers + 1 : 0;
    const kind =
      failure.kind === 'forbidden' && this.#lists > 0 && this.#forbiddenAnswers < MAX_REPEATED_FAILURES * 2
        ? 'lost'
        : failure.kind;
    // A server that says when to ask again is only not ready yet, as with a kind whose definition is a moment old.
    const isHopeless =
      kind === 'lost' &&
      wait === 0 &&
      this.#lists === 0 &&
      error instanceof ClusterError &&
      this.#backoff.failures >= MAX_REPEATED_FAILURES;
    if (kind === 'lost' && !isHopeless) this.#setState(this.#lists === 0 ? 'syncing' : 'stale', reason);
    else {
      this.#setState(kind === 'lost' ? 'broken' : kind, reason);
      this.#markSynced();
    }
    if (next !== 'same') this.#startOver(next);
    await this.#backoff.wait(kind === 'lost' ? 'quick' : 'slow', wait, this.#closing.signal);
  }

  /** The version or the token is of no use any more. A list that expired between two pages is read in one piece. */
  #startOver(how: 'list' | 'smaller-pages'): void {
    const size = this.#listing?.pageSize;
    this.#version = undefined;
    if (size === undefined) return;
    const smaller = size === 0 ? PAGE_SIZE : Math.ceil(size / 5);
    this.#listing = { entries: [], pageSize: how === 'list' ? 0 : smaller, token: '' };
  }

  #setState(state: CacheState, reason: string): void {
    const isNews = isUnreadable(state) !== isUnreadable(this.#state);
    this.#state = state;
    this.#reason = reason;
    if (isNews) this.options.onReadable?.();
  }

  #isOld({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): boolean {
    const learned = this.#writtenVersions.get(uid);
    if (learned === undefined) return false;
    if (/^\d+$/.test(resourceVersion) && isEarlier(resourceVersion, learned)) return true;
    this.#writtenVersions.delete(uid);
    return false;
  }

  #rememberDeleted(uid: string): void {
    this.#writtenVersions.delete(uid);
    this.#deletedUids.add(uid);
    for (const oldest of this.#deletedUids) {
      if (this.#deletedUids.size <= MAX_DELETED_UIDS) break;
      this.#deletedUids.delete(oldest);
    }
  }

  #entry(object: KubeObject): Entry {
    const { keep } = this.options;
    if (keep === undefined) return entryOf(object, object);
    try {
      return entryOf(object, keep(object));
    } catch (error) {
      const { namespace = '', name = '' } = object.metadata;
      this.dependencies.report(
        `${kindText(this.kind)} ${namespace}/${name} is kept in full, because trimming it failed: ${String(error)}`,
      );
      return entryOf(object, object);
    }
  }

  #announce(change: Change): void {
    for (const handler of this.#subscribers) this.#notify(handler, change);
  }

  #notify(handler: (change: Change) => void, change: Change): void {
    try {
      handler(change);
    } catch (error) {
      this.dependencies.report(`a handler of ${kindText(this.kind)} failed: ${String(error)}`);
    }
  }
}

interface StreamStats {
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
