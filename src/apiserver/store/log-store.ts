import { Fault } from '../../model/faults/index.js';
import { writeJson } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { Entry } from './entry.js';
import type { Journal } from './log.js';
import { DELETE, MAX_KEY_BYTES, PUT, type LogRecord, type RecordKind } from './record.js';
import { SortedEntries } from './sorted-entries.js';
import { StaleWrite, type Store, type Stored, type StoreEvent } from './store.js';
import { WatchHub, type HistoryLimit, type ListenerError } from './watch-hub.js';

const MAX_BATCH_BYTES = 8 << 20;

/** A write that has its revision but is not durable yet. `object` keeps the parsed form alive for the event. */
interface InFlight {
  readonly kind: RecordKind;
  readonly entry: Entry;
  readonly object: KubeObject;
  resolve(stored: Stored): void;
  reject(error: Error): void;
}

/** What readers see: the durable entries, their revision and recent events. */
export class DurableState {
  readonly entries = new SortedEntries();
  hub: WatchHub;

  constructor(
    readonly history: HistoryLimit,
    public revision: number,
    readonly onListenerError: ListenerError,
  ) {
    this.hub = new WatchHub(history, revision, onListenerError);
  }

  /** Begins the history at a revision: for the state that a snapshot gives. */
  begin(revision: number): void {
    this.revision = revision;
    this.hub = new WatchHub(this.history, revision, this.onListenerError);
  }

  apply(kind: RecordKind, entry: Entry): void {
    const previous = this.entries.get(entry.key);
    if (kind === PUT) this.entries.set(entry);
    else this.entries.delete(entry.key);
    this.revision = entry.revision;
    const written = previous === undefined ? 'ADDED' : 'MODIFIED';
    const type = kind === DELETE ? 'DELETED' : written;
    this.hub.publish({ type, revision: entry.revision, current: entry, previous });
  }
}

export interface LogStoreOptions {
  readonly state: DurableState;
  readonly journal: Journal;
  /** Told of failures that no caller waits for: a snapshot that could not be written. */
  readonly onFault: (fault: Fault) => void;
  readonly release: () => Promise<void>;
}

export class LogStore implements Store {
  readonly #state: DurableState;
  readonly #journal: Journal;
  /** The newest write in flight of each key; readers do not see it. */
  readonly #head = new Map<string, InFlight>();
  #headRevision: number;
  #queue: InFlight[] = [];
  #committing: Promise<void> | undefined;
  #snapshot: Promise<void> | undefined;
  #building = false;
  #failure: Fault | undefined;
  #check: Promise<Fault | undefined> | undefined;
  #closed: Promise<void> | undefined;
  readonly #revisionListeners = new Set<(revision: number) => void>();

  constructor(readonly options: LogStoreOptions) {
    this.#state = options.state;
    this.#journal = options.journal;
    this.#headRevision = options.state.revision;
  }

  get revision(): number {
    return this.#state.revision;
  }

  get compacted(): number {
    return this.#state.hub.compacted;
  }

  get(key: string): Stored | undefined {
    return this.#state.entries.get(key);
  }

  head(key: string): Stored | undefined {
    const flying = this.#head.get(key);
    if (flying === undefined) return this.#state.entries.get(key);
    return flying.kind === PUT ? flying.entry : undefined;
  }

  range(prefix: string, options: { readonly after?: string; readonly limit?: number } = {}): Stored[] {
    return this.#state.entries.range(prefix, options.after, options.limit ?? Infinity);
  }

  heads(prefix: string): Stored[] {
    const durable = this.range(prefix);
    const flying = [...this.#head.values()].filter(({ entry }) => entry.key.startsWith(prefix));
    if (flying.length === 0) return durable;
    const newest = new Map(durable.map((stored) => [stored.key, stored]));
    for (const { kind, entry } of flying) {
      if (kind === PUT) newest.set(entry.key, entry);
      else newest.delete(entry.key);
    }
    return [...newest.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  count(prefix: string): number {
    return this.#state.entries.count(prefix);
  }

  async write(key: string, expect: Stored | undefined, build: (revision: number) => KubeObject): Promise<Stored> {
    return await this.#enqueue(PUT, key, expect, build);
  }

  async remove(key: string, expect: Stored, build: (revision: number) => KubeObject): Promise<Stored> {
    return await this.#enqueue(DELETE, key, expect, build);
  }

  watch(prefix: string, from: number, listener: (event: StoreEvent) => void): { close(): void } {
    return this.#state.hub.watch(prefix, from, listener);
  }

  onRevision(listener: (revision: number) => void): { close(): void } {
    this.#revisionListeners.add(listener);
    return {
      close: () => {
        this.#revisionListeners.delete(listener);
      },
    };
  }

  get failure(): Fault | undefined {
    return this.#failure;
  }

  checkWritable(): Promise<Fault | undefined> {
    if (this.#failure === undefined || this.#closed !== undefined) return Promise.resolve(this.#failure);
    this.#check ??= this.#tryToWrite().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  /** Between two batches, as any write: the journal begins anew, with nothing in it. */
  async #tryToWrite(): Promise<Fault | undefined> {
    while (this.#committing !== undefined) await this.#committing;
    if (this.#failure === undefined || this.#closed !== undefined) return this.#failure;
    this.#committing = this.#journal
      .append([], this.#state.revision)
      .then(
        () => {
          this.#failure = undefined;
        },
        (error: unknown) => {
          this.#failure = writeFault(error);
        },
      )
      .then(() => this.#commit());
    await this.#committing;
    return this.#failure;
  }

  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  async #shutDown(): Promise<void> {
    // Writes that were accepted are finished; later ones are refused because #closed is set.
    while (this.#committing !== undefined) await this.#committing;
    await this.#snapshot;
    try {
      await this.#journal.close();
    } finally {
      await this.options.release();
    }
  }

  #enqueue(
    kind: RecordKind,
    key: string,
    expect: Stored | undefined,
    build: (revision: number) => KubeObject,
  ): Promise<Stored> {
    if (this.#closed !== undefined) throw new Fault('STORE_WRITE', 'the store is closed', { where: key });
    const head = this.head(key);
    // The same entry, not the same revision: after a failed write its revision is given out again.
    if (head !== expect) throw new StaleWrite(key, head);
    checkKey(key);
    const revision = this.#headRevision + 1;
    const object = withRevision(this.#build(build, revision), revision);
    const entry = new Entry(key, revision, writeJson(object), object);
    this.#headRevision = revision;
    return new Promise((resolve, reject) => {
      const flying: InFlight = { kind, entry, object, resolve, reject };
      this.#head.set(key, flying);
      this.#queue.push(flying);
      // The loop starts when this turn of the event loop ends, so that requests which arrived together share a batch.
      this.#committing ??= new Promise<void>((ended) => setImmediate(ended)).then(() => this.#commit());
    });
  }

  #build(build: (revision: number) => KubeObject, revision: number): KubeObject {
    if (this.#building) throw new Error('a write may not be started while another one builds its object');
    this.#building = true;
    try {
      return build(revision);
    } finally {
      this.#building = false;
    }
  }

  /** Takes all writes that wait, makes them durable together, shows them; until none waits. Never rejects. */
  async #commit(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#journal.append(batch.map(toRecord), this.#state.revision);
      } catch (error) {
        this.#fail(batch, error);
        continue;
      }
      this.#failure = undefined;
      this.#publish(batch);
      if (this.#journal.snapshotDue && this.#snapshot === undefined) await this.#startSnapshot();
    }
    this.#committing = undefined;
  }

  #takeBatch(): InFlight[] {
    let size = 0;
    let count = 0;
    for (const { entry } of this.#queue) {
      size += entry.body.length;
      if (count > 0 && size > MAX_BATCH_BYTES) break;
      count++;
    }
    if (count < this.#queue.length) return this.#queue.splice(0, count);
    const batch = this.#queue;
    this.#queue = [];
    return batch;
  }

  #publish(batch: readonly InFlight[]): void {
    for (const flying of batch) {
      if (this.#head.get(flying.entry.key) === flying) this.#head.delete(flying.entry.key);
      this.#state.apply(flying.kind, flying.entry);
    }
    for (const flying of batch) flying.resolve(flying.entry);
    for (const listener of this.#revisionListeners) listener(this.#state.revision);
  }

  /** Nothing of the batch was kept, and writes queued behind it compared with states that will never be. */
  #fail(batch: readonly InFlight[], error: unknown): void {
    const fault = writeFault(error);
    this.#failure = fault;
    const all = [...batch, ...this.#queue];
    this.#queue = [];
    this.#head.clear();
    this.#headRevision = this.#state.revision;
    for (const flying of all) flying.reject(fault);
  }

  async #startSnapshot(): Promise<void> {
    try {
      const { done } = await this.#journal.snapshot(this.#state.entries.all(), this.#state.revision);
      this.#snapshot = done
        .catch((error: unknown) => this.#report(error))
        .finally(() => {
          this.#snapshot = undefined;
        });
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.options.onFault(
      error instanceof Fault ? error : new Fault('STORE_WRITE', 'a snapshot could not be written', { cause: error }),
    );
  }
}

function writeFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('STORE_WRITE', 'the store could not write', { cause: error });
}

function toRecord({ kind, entry }: InFlight): LogRecord {
  return { kind, revision: entry.revision, key: entry.key, body: entry.body };
}

/** A copy with the revision set, because what `build` returns may share parts with what readers already have. */
function withRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

const UNFIT = /[\0\ud800-\udfff]/u;

/** Keys that UTF-8 could not give back as they were, or that do not fit a record. */
function checkKey(key: string): void {
  if (!key.startsWith('/') || key.length * 3 > MAX_KEY_BYTES || UNFIT.test(key)) {
    throw new Fault(
      'VALUE_INVALID',
      `a store key begins with "/", has at most ${Math.floor(MAX_KEY_BYTES / 3)} characters, no NUL and no ` +
        'half of a surrogate pair',
      { where: JSON.stringify(key) },
    );
  }
}
