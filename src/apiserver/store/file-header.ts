import { crc32c } from './crc32c.js';

export const FILE_HEADER = 64;

/** The first bytes of a segment or a snapshot. */
export interface FileHeader {
  readonly sequence: number;
  /** Segment: the revision of its first record. Snapshot: the newest revision in it. */
  readonly revision: number;
  /** Segment: where the segment before it ends; whatever lies behind that was given up. Snapshot: how many entries. */
  readonly extent: number;
  /** The log's record chain at this point. */
  readonly chain: number;
}

export type FileKind = 'ArgosyLg' | 'ArgosySn';

export function encodeFileHeader(kind: FileKind, header: FileHeader): Buffer {
  const bytes = Buffer.alloc(FILE_HEADER);
  bytes.write(kind, 0, 'latin1');
  bytes.writeUInt32LE(header.sequence, 12);
  bytes.writeUIntLE(header.revision, 16, 6);
  bytes.writeUIntLE(header.extent, 24, 6);
  bytes.writeUInt32LE(header.chain, 32);
  bytes.writeUInt32LE(crc32c(bytes, 12), 8);
  return bytes;
}

/** undefined: not a whole, unchanged header of that kind. */
export function readFileHeader(kind: FileKind, bytes: Buffer): FileHeader | undefined {
  if (bytes.length < FILE_HEADER || bytes.toString('latin1', 0, 8) !== kind) return undefined;
  if (bytes.readUInt32LE(8) !== crc32c(bytes, 12, FILE_HEADER)) return undefined;
  return {
    sequence: bytes.readUInt32LE(12),
    revision: bytes.readUIntLE(16, 6),
    extent: bytes.readUIntLE(24, 6),
    chain: bytes.readUInt32LE(32),
  };
}

const SEGMENT = /^log-(\d{10})$/;
const SNAPSHOT = /^snapshot-(\d{10})$/;

export function segmentName(sequence: number): string {
  return `log-${String(sequence).padStart(10, '0')}`;
}

export function snapshotName(sequence: number): string {
  return `snapshot-${String(sequence).padStart(10, '0')}`;
}

/** Sequence numbers of a directory's segments and snapshots, ascending, and the temporary files a crash left. */
export function sortFiles(names: readonly string[]): { segments: number[]; snapshots: number[]; leftovers: string[] } {
  const numbers = (pattern: RegExp): number[] =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  return {
    segments: numbers(SEGMENT),
    snapshots: numbers(SNAPSHOT),
    leftovers: names.filter((name) => name.endsWith('.tmp')),
  };
}
