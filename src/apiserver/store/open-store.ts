import { Fault } from '../../model/faults/index.js';
import type { DirectoryLock } from '../../net/directory-lock/index.js';
import { nodeDisk, type Disk } from './disk.js';
import { Entry } from './entry.js';
import { LogStore, DurableState } from './log-store.js';
import { Log, memoryJournal } from './log.js';
import { FIRST_REVISION, recover } from './recovery.js';
import { prepareFormat } from './store-format.js';
import type { Store } from './store.js';
import type { HistoryLimit, ListenerError } from './watch-hub.js';
import { messageOf } from '../errors/index.js';

export interface StoreOptions {
  /** Created where it is missing; one process at a time. */
  readonly directory: string;
  readonly disk?: Disk;
  /** How much log is written before a snapshot replaces it. */
  readonly snapshotBytes?: number;
  readonly history?: HistoryLimit;
  /** Told of failures that no caller waits for, such as a snapshot that found no space; the store tries again later. */
  readonly onFault?: (fault: Fault) => void;
  /** Told of what a listener of a watch threw; thrown anew without it. */
  readonly onListenerError?: ListenerError;
}

const HISTORY: HistoryLimit = { events: 10_000, bytes: 64 << 20 };
const SNAPSHOT_BYTES = 16 << 20;

/**
 * Opens a store directory: takes its lock, verifies every byte that was ever acknowledged, and loads it. Fails with
 * STORE_LOCKED, STORE_FORMAT, STORE_CORRUPT (nothing on disk was changed then) or STORE_WRITE.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { directory, disk = nodeDisk } = options;
  let lock: DirectoryLock | undefined;
  try {
    await disk.makeDirectory(directory);
    lock = await disk.lock(directory);
    return await load(options, disk, lock);
  } catch (error) {
    await lock?.release();
    if (error instanceof Fault) throw error;
    throw new Fault('STORE_WRITE', `the store could not be opened: ${messageOf(error)}`, {
      where: directory,
      cause: error,
    });
  }
}

async function load(options: StoreOptions, disk: Disk, lock: DirectoryLock): Promise<Store> {
  const { directory } = options;
  await prepareFormat(disk, directory);
  const state = new DurableState(options.history ?? HISTORY, FIRST_REVISION, options.onListenerError ?? throwLater);
  const end = await recover(disk, directory, {
    entry: (entry) => state.entries.set(entry),
    base: (revision) => state.begin(revision),
    record: ({ kind, key, revision, body }) => state.apply(kind, new Entry(key, revision, body)),
  });
  const journal = await Log.open({ disk, directory, snapshotBytes: options.snapshotBytes ?? SNAPSHOT_BYTES }, end);
  return new LogStore({ state, journal, onFault: options.onFault ?? warn, release: () => lock.release() });
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function warn(fault: Fault): void {
  process.emitWarning(`${fault.message} (${fault.where}). ${fault.hint}`, 'StoreWarning');
}

/** A store that forgets everything when its process ends. Same behaviour otherwise. */
export function openMemoryStore(options: { readonly history?: HistoryLimit } = {}): Store {
  const state = new DurableState(options.history ?? HISTORY, FIRST_REVISION, throwLater);
  return new LogStore({ state, journal: memoryJournal, onFault: warn, release: () => Promise.resolve() });
}
