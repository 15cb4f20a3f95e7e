import { RevisionCompacted, type StoreEvent } from './store.js';

/** How much of the past can be watched from. */
export interface HistoryLimit {
  readonly events: number;
  readonly bytes: number;
}

interface Watcher {
  readonly prefix: string;
  readonly listener: (event: StoreEvent) => void;
  /** The newest revision it was offered: guards against a second offer when a listener opens a watch. */
  seen: number;
}

/**
 * Recent events and the watchers that follow them. Revisions are gapless, so a revision is also a place in the history.
 */
export class WatchHub {
  #events: (StoreEvent | undefined)[] = [];
  #dropped = 0;
  #bytes = 0;
  #compacted: number;
  readonly #byBucket = new Map<string, Set<Watcher>>();
  readonly #wide = new Set<Watcher>();

  constructor(
    readonly limit: HistoryLimit,
    startRevision: number,
    readonly onListenerError: ListenerError,
  ) {
    this.#compacted = startRevision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  publish(event: StoreEvent): void {
    this.#remember(event);
    const near = this.#byBucket.get(bucketOf(event.current.key) ?? '');
    if (near !== undefined) for (const watcher of near) offer(watcher, event, this.onListenerError);
    for (const watcher of this.#wide) offer(watcher, event, this.onListenerError);
  }

  watch(prefix: string, from: number, listener: (event: StoreEvent) => void): { close(): void } {
    if (from < this.#compacted) throw new RevisionCompacted(from, this.#compacted);
    const watcher: Watcher = { prefix, listener, seen: from };
    // A listener may write or watch; events that arrive meanwhile are appended and met by this same loop.
    for (let revision = from + 1; ; revision++) {
      const event = this.#events[this.#dropped + revision - this.#compacted - 1];
      if (event === undefined) break;
      offer(watcher, event, this.onListenerError);
    }
    const group = this.#groupOf(prefix);
    group.add(watcher);
    return {
      close: () => {
        group.delete(watcher);
      },
    };
  }

  #groupOf(prefix: string): Set<Watcher> {
    const bucket = bucketOf(prefix);
    if (bucket === undefined) return this.#wide;
    const known = this.#byBucket.get(bucket);
    if (known !== undefined) return known;
    const group = new Set<Watcher>();
    this.#byBucket.set(bucket, group);
    return group;
  }

  #remember(event: StoreEvent): void {
    this.#events.push(event);
    this.#bytes += weight(event);
    while (this.#events.length - this.#dropped > this.limit.events || this.#bytes > this.limit.bytes) {
      const oldest = this.#events[this.#dropped];
      if (oldest === undefined) break;
      this.#bytes -= weight(oldest);
      this.#compacted = oldest.revision;
      this.#events[this.#dropped++] = undefined;
    }
    // Dropped places are emptied at once; the array itself moves only now and then.
    if (this.#dropped > 1024 && this.#dropped * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#dropped);
      this.#dropped = 0;
    }
  }
}

function weight(event: StoreEvent): number {
  return event.current.key.length + event.current.body.length + (event.previous?.body.length ?? 0);
}

/** Told of what a listener threw: a defect of its owner, which must not cost the other watchers their event. */
export type ListenerError = (error: unknown, key: string) => void;

function offer(watcher: Watcher, event: StoreEvent, onError: ListenerError): void {
  if (event.revision <= watcher.seen) return;
  watcher.seen = event.revision;
  if (!event.current.key.startsWith(watcher.prefix)) return;
  try {
    watcher.listener(event);
  } catch (error) {
    onError(error, event.current.key);
  }
}

/** `/registry/pods/` of `/registry/pods/shop/cart`; undefined where a prefix is shorter than that. */
function bucketOf(key: string): string | undefined {
  const second = key.indexOf('/', 1);
  const third = second < 0 ? -1 : key.indexOf('/', second + 1);
  return third < 0 ? undefined : key.slice(0, third + 1);
}
