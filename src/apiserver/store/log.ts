import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { AckedMark } from './acked-mark.js';
import type { Disk, DiskFile } from './disk.js';
import type { Entry } from './entry.js';
import { encodeFileHeader, FILE_HEADER, segmentName, snapshotName, sortFiles } from './file-header.js';
import { RecordWriter, type LogRecord } from './record.js';
import type { LogEnd } from './recovery.js';
import { writeSnapshot } from './snapshot.js';
import { messageOf } from '../errors/index.js';

/**
 * Zeros are written ahead of the records: overwriting them changes no file size, so a durable write needs no journal
 * commit of the file system. How much that saves varies; docs/decisions/002-log-store.md has the figures.
 */
const AHEAD = 1 << 20;
const FIRST_AHEAD = 64 << 10;
const ZEROS = Buffer.alloc(AHEAD);

/** Where a store's writes go before anyone sees them. */
export interface Journal {
  /**
   * Resolves when all records are durable. When it rejects, none of them may become visible, and the next call starts
   * afresh.
   */
  append(records: readonly LogRecord[], revision: number): Promise<void>;
  /** True when enough was appended for `snapshot` to pay. */
  readonly snapshotDue: boolean;
  /** Call between two appends. Resolves as soon as appends may go on; `done` when the snapshot is in place. */
  snapshot(entries: readonly Entry[], revision: number): Promise<{ readonly done: Promise<void> }>;
  close(): Promise<void>;
}

export interface LogOptions {
  readonly disk: Disk;
  readonly directory: string;
  /** A snapshot is made when this much log was written since the last one, and at least as much as that one's size. */
  readonly snapshotBytes: number;
}

export class Log implements Journal {
  readonly #writer = new RecordWriter();
  #file: DiskFile | undefined;
  #sequence: number;
  /** The durable end of the current segment. */
  #end: number;
  #chain: number;
  /** Up to here the current segment holds zeros or records. */
  #ahead: number;
  #extending: Promise<void> | undefined;
  /** After any failure the file is not trusted: the next append begins with a new segment. */
  #trusted = true;
  #logSize: number;
  #snapshotSize: number;
  #nextSnapshot = 0;

  private constructor(
    readonly options: LogOptions,
    readonly mark: AckedMark,
    from: LogEnd,
  ) {
    this.#sequence = from.segment?.sequence ?? 0;
    this.#end = from.segment?.end ?? 0;
    this.#ahead = this.#end;
    this.#chain = from.chain;
    this.#logSize = from.logSize;
    this.#snapshotSize = from.snapshotSize;
  }

  /** Takes over a verified directory: cuts off what lies behind the end, removes what is no longer needed. */
  static async open(options: LogOptions, from: LogEnd): Promise<Log> {
    const { disk, directory } = options;
    const mark = await AckedMark.open(disk, directory, from.revision);
    await disk.syncDirectory(directory);
    const log = new Log(options, mark, from);
    if (from.segment === undefined) {
      await log.#startSegment(from.revision);
    } else {
      log.#file = await disk.open(join(directory, segmentName(from.segment.sequence)), { durable: true, empty: false });
      await log.#file.truncate(from.segment.end);
      // Records that a killed process left in the page cache become durable before anyone reads them.
      await log.#file.sync();
    }
    await log.#removeOld();
    return log;
  }

  get snapshotDue(): boolean {
    return this.#logSize >= Math.max(this.options.snapshotBytes, this.#snapshotSize, this.#nextSnapshot);
  }

  async append(records: readonly LogRecord[], revision: number): Promise<void> {
    try {
      if (!this.#trusted) await this.#startOver(revision);
      const { bytes, chain } = this.#writer.encode(records, this.#chain, revision);
      await this.#makeRoom(bytes.length);
      if (this.#file === undefined) throw new Error('no open segment');
      await this.#file.write(bytes, this.#end);
      this.mark.set(records.at(-1)?.revision ?? revision);
      this.#end += bytes.length;
      this.#logSize += bytes.length;
      this.#chain = chain;
    } catch (error) {
      this.#trusted = false;
      throw this.#fault(error);
    }
    this.#extend();
  }

  async snapshot(entries: readonly Entry[], revision: number): Promise<{ readonly done: Promise<void> }> {
    // Whatever happens, the next try waits for as much log again.
    this.#nextSnapshot = this.#logSize + this.options.snapshotBytes;
    const before = this.#logSize;
    try {
      await this.#startSegment(revision);
    } catch (error) {
      this.#trusted = false;
      throw this.#fault(error);
    }
    const point = { sequence: this.#sequence, revision, chain: this.#chain };
    return { done: this.#finishSnapshot(point, entries, before) };
  }

  async close(): Promise<void> {
    await this.#extending;
    if (this.#file !== undefined && this.#trusted) {
      await this.#file.truncate(this.#end);
      await this.#file.sync();
    }
    await this.#file?.close();
    await this.mark.close();
  }

  async #finishSnapshot(
    point: { sequence: number; revision: number; chain: number },
    entries: readonly Entry[],
    before: number,
  ): Promise<void> {
    const { disk, directory } = this.options;
    try {
      this.#snapshotSize = await writeSnapshot(disk, directory, point, entries);
      this.#logSize -= before;
      this.#nextSnapshot = 0;
      await this.#removeOld();
    } catch (error) {
      // The log still has everything. The half-written file must not keep the space that writes may need.
      await disk.remove(join(directory, `${snapshotName(point.sequence)}.tmp`));
      throw this.#fault(error);
    }
  }

  /**
   * A failed write may have left anything behind the durable end, so that end is fixed by the next segment's header.
   */
  async #startOver(revision: number): Promise<void> {
    await this.#startSegment(revision);
    await this.mark.reset(revision);
    this.#trusted = true;
  }

  /** Creates the next segment. Until this has succeeded, nothing more may be appended to the current one. */
  async #startSegment(revision: number): Promise<void> {
    const { disk, directory } = this.options;
    await this.#extending;
    const sequence = this.#sequence + 1;
    const path = join(directory, segmentName(sequence));
    const header = encodeFileHeader('ArgosyLg', {
      sequence,
      revision: revision + 1,
      extent: this.#end,
      chain: this.#chain,
    });
    const file = await disk.open(path, { durable: true, empty: true });
    try {
      await file.write(Buffer.concat([header, ZEROS.subarray(0, FIRST_AHEAD - FILE_HEADER)]), 0);
      await file.sync();
      await disk.syncDirectory(directory);
    } catch (error) {
      await file.close();
      throw error;
    }
    const old = this.#file;
    const oldEnd = this.#end;
    this.#file = file;
    this.#sequence = sequence;
    this.#end = FILE_HEADER;
    this.#ahead = FIRST_AHEAD;
    this.#logSize += FILE_HEADER;
    await retire(old, oldEnd);
  }

  async #makeRoom(size: number): Promise<void> {
    if (this.#end + size <= this.#ahead) return;
    await this.#extending;
    if (this.#end + size > this.#ahead) this.#ahead = this.#end + size;
  }

  /** Writes zeros further ahead, beside appends; an append that needs the room waits for it in `#makeRoom`. */
  #extend(): void {
    const file = this.#file;
    // Doubling, so that a small store stays small.
    const from = this.#ahead;
    const size = Math.min(AHEAD, from);
    if (file === undefined || this.#extending !== undefined || from - this.#end > size / 2) return;
    this.#extending = file
      .write(ZEROS.subarray(0, size), from)
      .then(
        () => {
          this.#ahead = from + size;
        },
        () => {
          // Not having room ahead is no failure: the append that needs the space will meet the same error and report
          // it.
        },
      )
      .finally(() => {
        this.#extending = undefined;
      });
  }

  async #removeOld(): Promise<void> {
    const { disk, directory } = this.options;
    const { segments, snapshots, leftovers } = sortFiles(await disk.list(directory));
    const newest = snapshots.at(-1) ?? 0;
    const old = [
      ...leftovers,
      ...segments.filter((sequence) => sequence < newest).map(segmentName),
      ...snapshots.filter((sequence) => sequence < newest).map(snapshotName),
    ];
    for (const name of old) await disk.remove(join(directory, name));
  }

  #fault(error: unknown): Fault {
    const why = messageOf(error);
    return new Fault('STORE_WRITE', `the store could not write: ${why}`, {
      where: join(this.options.directory, segmentName(this.#sequence)),
      cause: error,
    });
  }
}

/** Gives back the zeros behind a segment's end and closes it; its content is durable, so failing here loses nothing. */
async function retire(file: DiskFile | undefined, end: number): Promise<void> {
  if (file === undefined) return;
  try {
    await file.truncate(end);
  } catch {
    // The next segment's header says where this one ends; the zeros only take space until the next snapshot.
  } finally {
    await file.close();
  }
}

/** Keeps nothing: for a store that lives as long as its process. */
export const memoryJournal: Journal = {
  snapshotDue: false,
  append: () => Promise.resolve(),
  snapshot: () => Promise.resolve({ done: Promise.resolve() }),
  close: () => Promise.resolve(),
};
