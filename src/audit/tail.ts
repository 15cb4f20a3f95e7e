import { open } from 'node:fs/promises';
import { Fault } from '../model/faults/index.js';
import { readEnd, readIfThere, rotatedFiles } from './files.js';
import { headFile, parseHead, type Head } from './head.js';
import { NO_LINE, type LineHash } from './line-hash.js';
import { parseRecord, type OwnEntry } from './record.js';

const NEWLINE = 0x0a;
/** Far more than is written between two heads. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** Where a chain goes on. */
export interface Tail {
  readonly seq: number;
  /** The hash of the last line. */
  readonly hash: string;
  /** What completes the file before anything is appended: an end of line, or nothing. */
  readonly completion: string;
  /** What the next lines have to say of it. */
  readonly notices: readonly OwnEntry[];
}

interface Walk {
  readonly seq: number;
  readonly hash: string;
  /** Where the next line begins. */
  readonly at: number;
}

/**
 * Finds the end of a chain. What the head vouches for is not given up: if those lines are gone or changed, the chain
 * goes on from the head, so that the break stays visible.
 */
export async function findTail(file: string, lineHash: LineHash): Promise<Tail> {
  const text = await readIfThere(headFile(file));
  const head = text === undefined ? undefined : parseHead(text);
  if (head !== undefined && head.key !== lineHash.key) throw otherKey(file, head);
  const before = (await rotatedFiles(file)).at(-1);
  const current = await readTail(file);
  const isCurrent = current.length > 0;
  const older = before === undefined ? Buffer.alloc(0) : await readTail(before);
  const bytes = isCurrent ? current : older;
  const start =
    head === undefined
      ? firstLine(bytes, lineHash)
      : (lineOfHead(bytes, head, lineHash) ?? rotatedHead(older, current, head, lineHash));
  if (start === undefined) return lostTail(bytes, head, isCurrent);
  const end = walk(bytes, start, lineHash);
  const rest = bytes.subarray(end.at);
  const notices: OwnEntry[] = [];
  if (head === undefined && bytes.length > 0)
    notices.push(
      gap(`${text === undefined ? 'there was no' : 'unreadable'} head: lines may be missing before this one`),
    );
  if (rest.length === 0 || !isCurrent)
    return { seq: end.seq, hash: end.hash, completion: completion(bytes, isCurrent), notices };
  const isTerminated = rest.at(-1) === NEWLINE;
  const torn = isTerminated ? rest : Buffer.concat([rest, Buffer.from('\n')]);
  // Directly behind what it names.
  notices.unshift({
    source: 'audit',
    verb: 'repair',
    result: 'ok',
    message: `the last ${rest.length} bytes before this line were not written whole`,
    torn: { bytes: torn.length, hash: lineHash.of(torn) },
  });
  return { seq: end.seq, hash: end.hash, completion: isTerminated ? '' : '\n', notices };
}

function otherKey(where: string, head: Head): Fault {
  const begun = head.key === '' ? 'without a key' : 'with another key';
  return new Fault('VALUE_INVALID', `this audit log was begun ${begun}`, {
    where,
    hint: 'pass its key with --audit-key, or move the log and its .head file away to begin a new one',
  });
}

function lostTail(bytes: Buffer, head: Head | undefined, isCurrent: boolean): Tail {
  const { seq, hash } = head ?? { seq: 0, hash: NO_LINE };
  return {
    seq,
    hash,
    completion: completion(bytes, isCurrent),
    notices: seq === 0 && bytes.length === 0 ? [] : [gap(`line ${seq} was missing or changed when the log was opened`)],
  };
}

function gap(message: string): OwnEntry {
  return { source: 'audit', verb: 'gap', result: 'ok', message };
}

/** A last line that only lacks its end is whole. */
function completion(bytes: Buffer, isCurrent: boolean): string {
  return !isCurrent || bytes.length === 0 || bytes.at(-1) === NEWLINE ? '' : '\n';
}

async function readTail(file: string): Promise<Buffer> {
  try {
    const handle = await open(file);
    try {
      return await readEnd(handle, (await handle.stat()).size, TAIL_BYTES);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Behind the line that the head names. */
function lineOfHead(bytes: Buffer, { seq, hash }: Head, lineHash: LineHash): Walk | undefined {
  for (let at = 0; at < bytes.length; ) {
    const end = endOfLine(bytes, at);
    if (parseRecord(bytes.toString('utf8', at, end))?.seq === seq && lineHash.of(bytes.subarray(at, end)) === hash)
      return { seq, hash, at: Math.min(bytes.length, end + 1) };
    at = end + 1;
  }
  return seq === 0 ? { seq, hash, at: 0 } : undefined;
}

/** A crash right after a rotation: the line of the head ends the file before, and the current one begins behind it. */
function rotatedHead(older: Buffer, current: Buffer, head: Head, lineHash: LineHash): Walk | undefined {
  const found = current.length < TAIL_BYTES ? lineOfHead(older, head, lineHash) : undefined;
  return found?.at === older.length ? { ...found, at: 0 } : undefined;
}

/** Without a head the first line that can be read is believed. */
function firstLine(bytes: Buffer, lineHash: LineHash): Walk | undefined {
  for (let at = 0; at < bytes.length; ) {
    const end = endOfLine(bytes, at);
    const record = parseRecord(bytes.toString('utf8', at, end));
    const line = bytes.subarray(at, end);
    if (record !== undefined) return { seq: record.seq, hash: lineHash.of(line), at: Math.min(bytes.length, end + 1) };
    at = end + 1;
  }
  return bytes.length === 0 ? { seq: 0, hash: NO_LINE, at: 0 } : undefined;
}

/** As far as one line follows the other. */
function walk(bytes: Buffer, start: Walk, lineHash: LineHash): Walk {
  let { seq, hash, at } = start;
  while (at < bytes.length) {
    const end = endOfLine(bytes, at);
    const record = parseRecord(bytes.toString('utf8', at, end));
    if (record?.seq !== seq + 1 || record.prev !== hash) break;
    seq = record.seq;
    hash = lineHash.of(bytes.subarray(at, end));
    at = Math.min(bytes.length, end + 1);
  }
  return { seq, hash, at };
}

function endOfLine(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(NEWLINE, at);
  return end < 0 ? bytes.length : end;
}
