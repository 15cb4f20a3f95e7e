import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { firstSeqOf, rotatedFiles, rotatedName } from './files.js';
import { formatHead, headFile, type Head } from './head.js';
import type { LineHash } from './line-hash.js';
import { parseRecord, type OwnEntry } from './record.js';
import { findTail, type Tail } from './tail.js';

export interface RotationOptions {
  /** Bytes after which a file is rotated. */
  readonly maxBytes: number;
  /** Rotated files that are kept; 0 for all. */
  readonly maxBackups: number;
}

/** Where lines go. */
export interface LineSink {
  /** All of it or nothing. */
  append(bytes: Buffer): Promise<void>;
  /** What was appended is on disk. */
  sync(): Promise<void>;
  /** The last line is this one now. */
  setHead(head: Head): Promise<void>;
  /** Begins a new file if this one is full; the new one begins with these entries. */
  rotate(seq: number): Promise<readonly OwnEntry[]>;
  /** Removes what was announced by `rotate`. */
  removeOld(): Promise<void>;
  close(): Promise<void>;
}

/** A log in a file that only grows until it is rotated, private to its owner. */
export class LogFile implements LineSink {
  readonly #file: string;
  readonly #options: RotationOptions;
  #handle: FileHandle;
  readonly #head: FileHandle;
  #size: number;
  #firstSeq: number;
  /** Something incomplete is behind `#size`. */
  #isTorn = false;
  #old: readonly string[] = [];

  private constructor(
    file: string,
    options: RotationOptions,
    open: { readonly handle: FileHandle; readonly head: FileHandle; readonly size: number; readonly firstSeq: number },
  ) {
    this.#file = file;
    this.#options = options;
    this.#handle = open.handle;
    this.#head = open.head;
    this.#size = open.size;
    this.#firstSeq = open.firstSeq;
  }

  static async open(
    file: string,
    options: RotationOptions,
    lineHash: LineHash,
  ): Promise<{ readonly sink: LogFile; readonly tail: Tail }> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const tail = await findTail(file, lineHash);
    const handle = await open(file, 'a', 0o600);
    try {
      // A file that somebody made beforehand may be open to others.
      await handle.chmod(0o600);
      const { size } = await handle.stat();
      const firstSeq = size === 0 ? tail.seq + 1 : await readFirstSeq(file, tail.seq);
      const head = await openHead(headFile(file));
      const sink = new LogFile(file, options, { handle, head, size, firstSeq });
      if (tail.completion !== '') await sink.append(Buffer.from(tail.completion));
      return { sink, tail };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async append(bytes: Buffer): Promise<void> {
    if (this.#isTorn) await this.#cut();
    this.#isTorn = true;
    try {
      for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
    } catch (error) {
      await this.#cut().catch(() => undefined);
      throw error;
    }
    this.#size += bytes.length;
    this.#isTorn = false;
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  async setHead(head: Head): Promise<void> {
    await this.#head.write(formatHead(head), 0);
  }

  async rotate(seq: number): Promise<readonly OwnEntry[]> {
    if (this.#size < this.#options.maxBytes) return [];
    await this.#handle.datasync();
    const rotated = rotatedName(this.#file, this.#firstSeq);
    await rename(this.#file, rotated).catch((error: unknown) => {
      // An attempt before this one came no further.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    const handle = await open(this.#file, 'a', 0o600);
    await this.#handle.close();
    this.#handle = handle;
    this.#size = 0;
    this.#firstSeq = seq + 1;
    const { maxBackups } = this.#options;
    const kept = await rotatedFiles(this.#file);
    this.#old = maxBackups === 0 ? [] : kept.slice(0, -maxBackups);
    const through = this.#old.map((_, index) => firstSeqOf(kept[index + 1] ?? this.#file) - 1);
    return [
      { source: 'audit', verb: 'rotate', object: basename(rotated), result: 'ok' },
      ...this.#old.map(
        (old, index): OwnEntry => ({
          source: 'audit',
          verb: 'remove',
          object: basename(old),
          result: 'ok',
          through: through[index],
        }),
      ),
    ];
  }

  async removeOld(): Promise<void> {
    for (const old of this.#old) await rm(old, { force: true });
    this.#old = [];
  }

  async close(): Promise<void> {
    try {
      await this.#handle.datasync();
      await this.#head.datasync();
    } finally {
      await this.#handle.close();
      await this.#head.close();
    }
  }

  async #cut(): Promise<void> {
    await this.#handle.truncate(this.#size);
    this.#isTorn = false;
  }
}

/** Opened for writing in place: a head is never cut before it is written. */
async function openHead(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return await open(path, 'w', 0o600);
  }
}

const MAX_LINE_BYTES = 64 * 1024;

async function readFirstSeq(file: string, otherwise: number): Promise<number> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_LINE_BYTES), 0, MAX_LINE_BYTES, 0);
    const end = buffer.subarray(0, bytesRead).indexOf('\n');
    return parseRecord(buffer.toString('utf8', 0, Math.max(0, end)))?.seq ?? otherwise;
  } finally {
    await handle.close();
  }
}
