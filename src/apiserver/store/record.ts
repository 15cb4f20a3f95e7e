import { crc32c } from './crc32c.js';

/**
 * One record on disk, a multiple of 8 bytes:
 *
 *     0 magic u32        4 checksum of bytes 8..32
 *     8 payload u32     12 checksum of payload and padding, chained to the record before
 *    16 kind u16        18 revision u48
 *    24 key length u16  26 acked u48: the newest revision known to be durable when this was written
 *    32 key, body as UTF-8, then 0xff up to the next multiple of 8
 *
 * Every 8 bytes hold one that is not zero, so a sector of zeros inside a record means "never written". The chain makes
 * a record valid only behind the one it was written behind.
 */
export interface LogRecord {
  readonly kind: RecordKind;
  readonly revision: number;
  readonly key: string;
  readonly body: string;
}

export type RecordKind = typeof PUT | typeof DELETE;
export const PUT = 1;
export const DELETE = 2;

const HEADER = 32;
const MAGIC = 0x31677241; // "Arg1"
const SECTOR = 512;
export const MAX_KEY_BYTES = 0xffff;

export interface Encoded {
  readonly bytes: Uint8Array;
  readonly chain: number;
}

/**
 * Writes records one behind the other into a buffer that it keeps and grows. The bytes are valid until the next call.
 */
export class RecordWriter {
  #buffer = Buffer.alloc(1 << 16);

  encode(records: readonly LogRecord[], chain: number, acked: number): Encoded {
    let at = 0;
    for (const record of records) {
      // UTF-8 needs at most three bytes for each UTF-16 unit.
      this.#reserve(at, HEADER + 3 * (record.key.length + record.body.length) + 8);
      const buffer = this.#buffer;
      const keyLength = buffer.write(record.key, at + HEADER, 'utf8');
      const payload = keyLength + buffer.write(record.body, at + HEADER + keyLength, 'utf8');
      const end = at + sizeOf(payload);
      buffer.fill(0xff, at + HEADER + payload, end);
      chain = crc32c(buffer, at + HEADER, end, chain);
      buffer.writeUInt32LE(MAGIC, at);
      buffer.writeUInt32LE(payload, at + 8);
      buffer.writeUInt32LE(chain, at + 12);
      buffer.writeUInt16LE(record.kind, at + 16);
      buffer.writeUIntLE(record.revision, at + 18, 6);
      buffer.writeUInt16LE(keyLength, at + 24);
      buffer.writeUIntLE(acked, at + 26, 6);
      buffer.writeUInt32LE(crc32c(buffer, at + 8, at + HEADER), at + 4);
      at = end;
    }
    return { bytes: this.#buffer.subarray(0, at), chain };
  }

  #reserve(used: number, more: number): void {
    if (used + more <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(used + more, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, used);
    this.#buffer = larger;
  }
}

function sizeOf(payload: number): number {
  return (HEADER + payload + 7) & ~7;
}

interface Header {
  readonly payload: number;
  readonly chain: number;
  readonly kind: number;
  readonly revision: number;
  readonly keyLength: number;
  readonly acked: number;
  readonly end: number;
}

function readHeader(bytes: Buffer, at: number): Header | undefined {
  if (at + HEADER > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return undefined;
  if (bytes.readUInt32LE(at + 4) !== crc32c(bytes, at + 8, at + HEADER)) return undefined;
  const payload = bytes.readUInt32LE(at + 8);
  return {
    payload,
    chain: bytes.readUInt32LE(at + 12),
    kind: bytes.readUInt16LE(at + 16),
    revision: bytes.readUIntLE(at + 18, 6),
    keyLength: bytes.readUInt16LE(at + 24),
    acked: bytes.readUIntLE(at + 26, 6),
    end: at + sizeOf(payload),
  };
}

export interface ReadRecord {
  readonly record: LogRecord;
  readonly chain: number;
  readonly end: number;
}

/** The record at `at`, or undefined where none is whole, unchanged and in its place behind `chain`. */
export function readRecord(bytes: Buffer, at: number, chain: number): ReadRecord | undefined {
  const header = readHeader(bytes, at);
  if (header === undefined || header.end > bytes.length) return undefined;
  if (crc32c(bytes, at + HEADER, header.end, chain) !== header.chain) return undefined;
  if (header.kind !== PUT && header.kind !== DELETE) return undefined;
  const body = at + HEADER + header.keyLength;
  const record: LogRecord = {
    kind: header.kind,
    revision: header.revision,
    key: bytes.toString('utf8', at + HEADER, body),
    body: bytes.toString('utf8', body, at + HEADER + header.payload),
  };
  return { record, chain: header.chain, end: header.end };
}

/**
 * What stands where a log has no valid record any more. `end`: nothing but zeros that were written ahead.
 * `unfinished`: the write of `revision` was cut off, and nothing behind it says that it had succeeded. `broken`:
 * bytes that were once whole have changed.
 */
export function classifyTail(bytes: Buffer, at: number, revision: number): 'end' | 'unfinished' | 'broken' {
  if (isZero(bytes, at, bytes.length)) return 'end';
  const header = readHeader(bytes, at);
  const end = header?.end ?? at + HEADER;
  if (end <= bytes.length && !hasUnwrittenSector(bytes, at, end)) return 'broken';
  return laterRecordAcks(bytes, at, revision) ? 'broken' : 'unfinished';
}

function hasUnwrittenSector(bytes: Buffer, start: number, end: number): boolean {
  for (let from = start; from < end; ) {
    const to = Math.min(end, from - (from % SECTOR) + SECTOR);
    if (isZero(bytes, from, to)) return true;
    from = to;
  }
  return false;
}

/** True where a record further on was written when `revision` was already durable. */
function laterRecordAcks(bytes: Buffer, at: number, revision: number): boolean {
  for (let next = at + 8; next + HEADER <= bytes.length; next += 8) {
    const header = readHeader(bytes, next);
    if (header !== undefined && header.acked >= revision) return true;
  }
  return false;
}

const ZEROS = Buffer.alloc(64 << 10);

function isZero(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += ZEROS.length) {
    const size = Math.min(ZEROS.length, end - at);
    if (ZEROS.compare(bytes, at, at + size, 0, size) !== 0) return false;
  }
  return true;
}
