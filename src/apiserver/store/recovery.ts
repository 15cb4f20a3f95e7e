import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { AckedMark } from './acked-mark.js';
import type { Disk } from './disk.js';
import type { Entry } from './entry.js';
import { FILE_HEADER, readFileHeader, segmentName, snapshotName, sortFiles, type FileHeader } from './file-header.js';
import { classifyTail, readRecord, type LogRecord } from './record.js';
import { readSnapshot } from './snapshot.js';

/** The revision of a store that nothing was written to; 0 has a meaning of its own in the Kubernetes API. */
export const FIRST_REVISION = 1;

/** Where the log goes on. */
export interface LogEnd {
  readonly revision: number;
  readonly chain: number;
  /** The segment to append to; undefined where there is none yet. */
  readonly segment: { readonly sequence: number; readonly end: number } | undefined;
  readonly snapshotSize: number;
  /** Bytes of log since the newest snapshot. */
  readonly logSize: number;
}

export interface Replay {
  /** The state before the first record; called for each entry in key order, then `base` once. */
  entry(entry: Entry): void;
  base(revision: number): void;
  record(record: LogRecord): void;
}

/**
 * Reads and verifies everything that a store directory holds, and changes nothing. Accepts one flaw: an unfinished
 * write at the very end that was never acknowledged. Anything else is STORE_CORRUPT.
 */
export async function recover(disk: Disk, directory: string, replay: Replay): Promise<LogEnd> {
  const acked = await AckedMark.read(disk, directory);
  const { segments, snapshots } = sortFiles(await disk.list(directory));
  if (acked === undefined && segments.length + snapshots.length > 0) {
    throw new Fault(
      'STORE_CORRUPT',
      'the mark of acknowledged writes is missing, so it cannot be known whether the log is complete',
      { where: join(directory, 'acked') },
    );
  }
  const newest = snapshots.at(-1);
  let snapshotSize = 0;
  let position: Position = { revision: FIRST_REVISION, chain: 0 };
  if (newest !== undefined) {
    const { point, size } = await readSnapshot(disk, directory, newest, (entry) => replay.entry(entry));
    position = { revision: point.revision, chain: point.chain };
    snapshotSize = size;
  }
  replay.base(position.revision);
  const reader = new SegmentReader(disk, directory, replay, position);
  const segment = await reader.readAll(segments, newest ?? 1);
  if (reader.position.revision < (acked ?? 0)) throw missingEnd(directory, reader, acked ?? 0);
  return { ...reader.position, segment, snapshotSize, logSize: reader.logSize };
}

interface Position {
  readonly revision: number;
  readonly chain: number;
}

function missingEnd(directory: string, reader: SegmentReader, acked: number): Fault {
  return new Fault(
    'STORE_CORRUPT',
    `the log ends at revision ${reader.position.revision}, but revision ${acked} was acknowledged: its last ` +
      'records are gone',
    {
      where: `${join(directory, reader.at.name)} at byte ${reader.at.byte}, record ${reader.at.record}`,
    },
  );
}

interface LoadedSegment {
  readonly sequence: number;
  readonly bytes: Buffer;
  readonly header: FileHeader;
}

class SegmentReader {
  logSize = 0;
  at = { name: '(no segment)', byte: 0, record: 0 };

  constructor(
    readonly disk: Disk,
    readonly directory: string,
    readonly replay: Replay,
    public position: Position,
  ) {}

  /** Replays all segments from `first` on; returns where the last one ends. */
  async readAll(sequences: readonly number[], first: number): Promise<LogEnd['segment']> {
    const wanted = sequences.filter((sequence) => sequence >= first);
    if (wanted.length === 0 && first === 1) return undefined;
    if (wanted[0] !== first) this.#missing(first, wanted);
    let current = await this.#load(first, first > 1 || wanted.length > 1);
    for (let sequence = first; current !== undefined; sequence++) {
      const more = wanted.some((other) => other > sequence);
      if (more && !wanted.includes(sequence + 1)) this.#missing(sequence + 1, wanted);
      const next: LoadedSegment | undefined = more
        ? await this.#load(sequence + 1, sequence + 1 < (wanted.at(-1) ?? 0))
        : undefined;
      const end = this.#replaySegment(current, next?.header);
      if (next === undefined) return { sequence, end };
      current = next;
    }
    return undefined;
  }

  #missing(sequence: number, present: readonly number[]): never {
    const others = present.length === 0 ? 'no segment is there' : `the segments there are ${present.join(', ')}`;
    const what =
      sequence === 1
        ? `${segmentName(1)} is missing and there is no ${snapshotName(present[0] ?? 1)} to start from`
        : `${segmentName(sequence)} is missing`;
    throw new Fault('STORE_CORRUPT', `${what} (${others})`, { where: this.directory });
  }

  /** A last segment without a header is the trace of a crash while it was made: it holds nothing. */
  async #load(sequence: number, mustBeWhole: boolean): Promise<LoadedSegment | undefined> {
    const path = join(this.directory, segmentName(sequence));
    const bytes = (await this.disk.read(path)) ?? Buffer.alloc(0);
    const header = readFileHeader('ArgosyLg', bytes);
    if (header?.sequence === sequence) return { sequence, bytes, header };
    if (!mustBeWhole && bytes.every((byte) => byte === 0)) return undefined;
    throw new Fault('STORE_CORRUPT', `the header of segment ${segmentName(sequence)} does not match its checksum`, {
      where: `${path} at byte 0`,
    });
  }

  #replaySegment({ sequence, bytes: whole, header }: LoadedSegment, next: FileHeader | undefined): number {
    this.at = { name: segmentName(sequence), byte: 0, record: 0 };
    if (header.revision !== this.position.revision + 1 || header.chain !== this.position.chain) {
      throw this.#refuse(
        `the segment begins at revision ${header.revision} and does not continue what comes before it, ` +
          `which ends at revision ${this.position.revision}`,
      );
    }
    // What lies behind the end that the next segment names was given up after a failed write.
    const bytes = next === undefined ? whole : whole.subarray(0, next.extent);
    let at = FILE_HEADER;
    for (let number = 1; ; number++) {
      this.at = { ...this.at, byte: at, record: number };
      const read = readRecord(bytes, at, this.position.chain);
      if (read === undefined) break;
      if (read.record.revision !== this.position.revision + 1)
        throw this.#refuse(`it has revision ${read.record.revision} where ${this.position.revision + 1} is due`);
      this.replay.record(read.record);
      this.position = { revision: read.record.revision, chain: read.chain };
      at = read.end;
    }
    this.logSize += at;
    this.#checkEnd(bytes, at, next);
    return at;
  }

  #checkEnd(bytes: Buffer, at: number, next: FileHeader | undefined): void {
    if (next !== undefined) {
      if (at !== next.extent)
        throw this.#refuse(
          `it does not match its checksum or is cut off; the segment should go on to byte ${next.extent}`,
        );
      return;
    }
    if (classifyTail(bytes, at, this.position.revision + 1) === 'broken')
      throw this.#refuse('it does not match its checksum');
  }

  #refuse(what: string): Fault {
    const { name, byte, record } = this.at;
    return new Fault(
      'STORE_CORRUPT',
      `record ${record} of ${name} (byte ${byte}, after revision ${this.position.revision}) is damaged: ${what}`,
      {
        where: `${join(this.directory, name)} at byte ${byte}, record ${record}`,
      },
    );
  }
}
