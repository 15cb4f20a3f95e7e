import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const CHUNK = 1024 * 1024;

/**
 * The bytes of a file as UTF-8, whatever it is packed or written in: compressed, or in the UTF-16 of PowerShell. Reads
 * once, so a pipe is as good as a file.
 */
export async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  yield* plainBytes(
    createReadStream(path === '-' ? '' : path, { highWaterMark: CHUNK, ...(path === '-' ? { fd: 0 } : {}) }),
  );
}

/** The same for bytes that come from elsewhere, such as a member of an archive. */
export async function* plainBytes(raw: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const [start, rest] = await peek(raw);
  if (start[0] === 0x1f && start[1] === 0x8b)
    yield* decoded(await peek(Readable.from(rest).pipe(createGunzip({ chunkSize: CHUNK })) as AsyncIterable<Buffer>));
  else yield* decoded([start, rest]);
}

type Peeked = readonly [start: Buffer, all: AsyncIterable<Buffer>];

/** The first bytes, and all of them again. */
async function peek(raw: AsyncIterable<Buffer>): Promise<Peeked> {
  const chunks = raw[Symbol.asyncIterator]();
  const first = await chunks.next();
  const start = first.done === true ? Buffer.alloc(0) : first.value;
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (first.done !== true) yield start;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  }
  return [start, all()];
}

/** UTF-16, by its byte order mark. */
function utf16Of([first, second]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

async function* decoded([start, all]: Peeked): AsyncGenerator<Buffer> {
  const encoding = utf16Of(start);
  if (encoding === undefined) {
    const isMarked = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf;
    let isFirst = true;
    for await (const chunk of all) {
      yield isFirst && isMarked ? chunk.subarray(3) : chunk;
      isFirst = false;
    }
    return;
  }
  const decoder = new TextDecoder(encoding);
  for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}
