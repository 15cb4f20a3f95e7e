import { open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;
/** Longer ones are no lines of ours. */
const MAX_LINE_BYTES = 1024 * 1024;

/** A line as it is in a file, without its end. */
export interface FileLine {
  readonly bytes: Buffer;
  /** It has its end. */
  readonly isWhole: boolean;
  readonly file: string;
  /** From 1. */
  readonly number: number;
}

/** A rotated file is named by the number of its first line. */
export function rotatedName(file: string, firstSeq: number): string {
  return `${file}.${String(firstSeq).padStart(12, '0')}`;
}

/** From the oldest to the newest; `file` itself is not among them. */
export async function rotatedFiles(file: string): Promise<string[]> {
  const name = basename(file);
  const names = await ifThere(readdir(dirname(file)));
  return (names ?? [])
    .filter((each) => each.startsWith(`${name}.`) && /^\d{12,16}$/.test(each.slice(name.length + 1)))
    .sort((a, b) => Number(a.slice(name.length + 1)) - Number(b.slice(name.length + 1)))
    .map((each) => join(dirname(file), each));
}

export function firstSeqOf(rotated: string): number {
  return Number(rotated.slice(rotated.lastIndexOf('.') + 1));
}

/** All files of a log, the oldest first. */
export async function logFiles(file: string): Promise<string[]> {
  return [...(await rotatedFiles(file)), file];
}

export function readIfThere(file: string): Promise<string | undefined> {
  return ifThere(readFile(file, 'utf8'));
}

async function ifThere<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The lines of one file; none if it is not there. */
export async function* readLines(file: string): AsyncGenerator<FileLine> {
  const handle = await ifThere(open(file));
  if (handle === undefined) return;
  try {
    yield* splitLines(chunksOf(handle), file);
  } finally {
    await handle.close();
  }
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  const size = Math.min(CHUNK, (await handle.stat()).size + 1);
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(size), 0, size);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The lines of a stream of bytes. */
export async function* splitLines(
  stream: AsyncIterable<unknown> | Iterable<unknown>,
  file: string,
): AsyncGenerator<FileLine> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      yield { bytes: bytes.subarray(start, end), isWhole: true, file, number: ++number };
      start = end + 1;
    }
    rest = bytes.subarray(start);
    // Whatever it is, it is no line: it is passed on in parts rather than kept.
    if (rest.length > MAX_LINE_BYTES) {
      yield { bytes: rest, isWhole: false, file, number: ++number };
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0) yield { bytes: rest, isWhole: false, file, number: ++number };
}

/** The last bytes of a file; all of them if there are fewer. */
export async function readEnd(handle: FileHandle, size: number, most: number): Promise<Buffer> {
  const length = Math.min(size, most);
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, size - length);
  return bytes.subarray(0, bytesRead);
}

/** The lines of a file from the last to the first, in portions as they are read. */
export async function* readLinesBackwards(file: string): AsyncGenerator<string[]> {
  const handle = await ifThere(open(file));
  if (handle === undefined) return;
  try {
    let { size: end } = await handle.stat();
    let rest = Buffer.alloc(0);
    while (end > 0) {
      const start = Math.max(0, end - CHUNK);
      const piece = Buffer.alloc(end - start);
      await handle.read(piece, 0, piece.length, start);
      const bytes = Buffer.concat([piece, rest]);
      end = start;
      const first = start === 0 ? -1 : bytes.indexOf(NEWLINE);
      rest = first < 0 && start > 0 ? bytes : bytes.subarray(0, Math.max(0, first));
      if (first >= 0 || start === 0) {
        const lines = bytes
          .subarray(first + 1)
          .toString('utf8')
          .split('\n');
        yield lines.filter((line) => line !== '').reverse();
      }
    }
  } finally {
    await handle.close();
  }
}
