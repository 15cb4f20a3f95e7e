import type { ServerResponse } from 'node:http';
import { writeJson, type JsonObject } from '../../model/json/index.js';
import { type Clock, apiVersionOf, fromStored, type WatchEvent } from '../rest/index.js';
import type { ResourceType } from '../resources/index.js';
import type { Stored } from '../store/index.js';
import { FlushQueue } from './flush-queue.js';
import { objectText } from './object-text.js';
import { partialMetadata, tableOf, type IncludeObject } from './table.js';

/**
 * A reader that leaves this much unread is cut off; it can resume from its last resourceVersion. The largest batch
 * comes on top, because the first one may hold every object that there is.
 */
const MAX_UNREAD = 16 * 1024 * 1024;
const BOOKMARK_EVERY = 60_000;
const BEFORE_END = 2000;

export interface StreamOptions {
  readonly form: 'object' | 'Table' | 'PartialObjectMetadata';
  readonly include: IncludeObject;
  readonly bookmarks: boolean;
  /** Milliseconds after which the stream ends cleanly. */
  readonly timeout: number;
}

const flushes = new FlushQueue();

/**
 * The frames of the newest plain event: its watchers are served one after the other, so one change is enough to keep.
 */
const newest: { stored: Stored | undefined; readonly frames: Map<string, Buffer> } = {
  stored: undefined,
  frames: new Map(),
};

/** The newest batch of several frames: watchers of the same resource, flushed in the same round, have the same ones. */
let batch: { readonly frames: readonly Buffer[]; readonly bytes: Buffer } | undefined;

function joined(frames: readonly Buffer[]): Buffer {
  const [first] = frames;
  if (first !== undefined && frames.length === 1) return first;
  if (batch?.frames.length === frames.length && batch.frames.every((frame, at) => frame === frames[at]))
    return batch.bytes;
  if (batch === undefined)
    queueMicrotask(() => {
      batch = undefined;
    });
  batch = { frames, bytes: Buffer.concat(frames) };
  return batch.bytes;
}

/** One watch response: a JSON document per line, written in batches, cut when its reader stalls. */
export class WatchStream {
  #pending: Buffer[] = [];
  #scheduled = false;
  #largest = 0;
  #revision = 0;
  #tableStarted = false;
  readonly #cancels: (() => void)[] = [];

  constructor(
    readonly response: ServerResponse,
    readonly type: ResourceType,
    readonly options: StreamOptions,
    readonly clock: Clock,
    currentRevision: () => number,
  ) {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    this.#cancels.push(clock.after(options.timeout, () => this.end()));
    if (options.bookmarks) this.#scheduleBookmark(currentRevision);
  }

  send(event: WatchEvent): void {
    if (event.type === 'ERROR') {
      this.#push(Buffer.from(`${writeJson({ type: 'ERROR', object: event.error.toStatus() })}\n`));
      this.end();
      return;
    }
    this.#revision = Math.max(this.#revision, event.revision);
    if (event.type === 'BOOKMARK') this.#push(this.#bookmark(event.revision, event.initialEventsEnd));
    else this.#push(this.#frame(event));
  }

  end(): void {
    for (const cancel of this.#cancels) cancel();
    this.flush();
    this.response.end();
  }

  #frame(event: Extract<WatchEvent, { stored: Stored }>): Buffer {
    if (this.options.form !== 'object')
      return Buffer.from(`${writeJson({ type: event.type, object: this.#transformed(event) })}\n`);
    const moved = event.revision !== event.stored.revision;
    if (moved) return Buffer.from(`{"type":"${event.type}","object":${writeJson(this.#object(event))}}\n`);
    const name = `${event.type} ${apiVersionOf(this.type)}`;
    if (newest.stored !== event.stored) newest.frames.clear();
    newest.stored = event.stored;
    let frame = newest.frames.get(name);
    if (!frame)
      newest.frames.set(
        name,
        (frame = Buffer.from(`{"type":"${event.type}","object":${objectText(this.type, event.stored)}}\n`)),
      );
    return frame;
  }

  /** The object with the revision of the event, which differs where a selector stopped matching. */
  #object(event: Extract<WatchEvent, { stored: Stored }>): ReturnType<typeof fromStored> {
    const object = fromStored(this.type, event.stored);
    if (event.revision === event.stored.revision) return object;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(event.revision) } };
  }

  #transformed(event: Extract<WatchEvent, { stored: Stored }>): JsonObject {
    const object = this.#object(event);
    if (this.options.form === 'PartialObjectMetadata') return partialMetadata(object);
    const table = tableOf(
      this.type,
      [object],
      { resourceVersion: String(event.revision) },
      this.options.include,
      this.clock.now(),
    );
    // Only the first table of a stream carries the column definitions.
    if (this.#tableStarted) table['columnDefinitions'] = null;
    this.#tableStarted = true;
    return table;
  }

  #bookmark(revision: number, initialEventsEnd: boolean): Buffer {
    const annotations = initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const object = {
      kind: this.type.kind,
      apiVersion: apiVersionOf(this.type),
      metadata: { resourceVersion: String(revision), ...annotations },
    };
    return Buffer.from(`${writeJson({ type: 'BOOKMARK', object })}\n`);
  }

  /** One a minute, and one shortly before the end, so that a client that comes back need not read anything twice. */
  #scheduleBookmark(currentRevision: () => number, elapsed = 0): void {
    const wait = Math.min(BOOKMARK_EVERY, this.options.timeout - elapsed - BEFORE_END);
    if (wait <= 0) return;
    this.#cancels.push(
      this.clock.after(wait, () => {
        this.#push(this.#bookmark(currentRevision(), false));
        this.#scheduleBookmark(currentRevision, elapsed + wait);
      }),
    );
  }

  #push(frame: Buffer): void {
    this.#pending.push(frame);
    if (this.#scheduled) return;
    this.#scheduled = true;
    flushes.add(this);
  }

  /** Writes what waits: one write for all events since the last time. */
  flush(): void {
    this.#scheduled = false;
    if (this.#pending.length === 0 || this.response.writableEnded || this.response.destroyed) return;
    const bytes = joined(this.#pending);
    this.#pending = [];
    this.#largest = Math.max(this.#largest, bytes.length);
    this.response.write(bytes);
    if (this.response.writableLength > MAX_UNREAD + this.#largest) this.response.destroy();
  }
}
