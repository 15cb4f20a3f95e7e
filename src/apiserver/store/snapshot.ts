import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { Disk } from './disk.js';
import { Entry } from './entry.js';
import { encodeFileHeader, FILE_HEADER, readFileHeader, snapshotName, type FileHeader } from './file-header.js';
import { PUT, readRecord, RecordWriter, type LogRecord } from './record.js';

const SLICE = 256 << 10;
const SYNC_EVERY = 8 << 20;

/** What the store holds when segment `sequence` begins. */
export interface SnapshotPoint {
  readonly sequence: number;
  readonly revision: number;
  readonly chain: number;
}

/** Writes a snapshot in slices, so that others run in between. It appears under its name only when it is durable. */
export async function writeSnapshot(
  disk: Disk,
  directory: string,
  point: SnapshotPoint,
  entries: readonly Entry[],
): Promise<number> {
  const path = join(directory, snapshotName(point.sequence));
  const file = await disk.open(`${path}.tmp`, { durable: false, empty: true });
  let size = FILE_HEADER;
  try {
    await file.write(encodeFileHeader('ArgosySn', { ...point, extent: entries.length }), 0);
    const writer = new RecordWriter();
    let chain = point.chain;
    let synced = 0;
    for (const slice of slices(entries)) {
      const encoded = writer.encode(slice, chain, 0);
      await file.write(encoded.bytes, size);
      chain = encoded.chain;
      size += encoded.bytes.length;
      // Small syncs keep the log's own writes from queueing behind one large one.
      if (size - synced > SYNC_EVERY) {
        await file.sync();
        synced = size;
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(`${path}.tmp`, path);
  await disk.syncDirectory(directory);
  return size;
}

function* slices(entries: readonly Entry[]): Generator<LogRecord[]> {
  let slice: LogRecord[] = [];
  let size = 0;
  for (const { key, revision, body } of entries) {
    slice.push({ kind: PUT, revision, key, body });
    size += key.length + body.length;
    if (size < SLICE) continue;
    yield slice;
    slice = [];
    size = 0;
  }
  if (slice.length > 0) yield slice;
}

export interface ReadSnapshot {
  readonly point: FileHeader;
  readonly size: number;
}

/** Reads a snapshot and hands over its entries in key order; any change since it was written is refused. */
export async function readSnapshot(
  disk: Disk,
  directory: string,
  sequence: number,
  take: (entry: Entry) => void,
): Promise<ReadSnapshot> {
  const path = join(directory, snapshotName(sequence));
  const bytes = (await disk.read(path)) ?? Buffer.alloc(0);
  const refuse = (what: string): Fault =>
    new Fault('STORE_CORRUPT', `snapshot ${snapshotName(sequence)} is damaged: ${what}`, { where: path });
  const header = readFileHeader('ArgosySn', bytes);
  if (header?.sequence !== sequence) throw refuse('its header does not match its checksum');
  let at = FILE_HEADER;
  let chain = header.chain;
  for (let number = 1; number <= header.extent; number++) {
    const read = readRecord(bytes, at, chain);
    if (read === undefined)
      throw refuse(`record ${number} of ${header.extent} at byte ${at} does not match its checksum or is cut off`);
    take(new Entry(read.record.key, read.record.revision, read.record.body));
    ({ end: at, chain } = read);
  }
  if (at !== bytes.length) throw refuse(`${bytes.length - at} bytes follow its last record at byte ${at}`);
  return { point: header, size: at };
}
