import { TAR_BLOCK, isEmptyBlock, paxRecords, readTarHeader, tarText } from '../../model/formats/index.js';

/** A file of an archive; its bytes must be read, or left, before the next one comes. */
export interface TarMember {
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
}

/** Bytes by count, however they come. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At most so many bytes; none at the end. */
  async some(max: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return this.#rest;
      this.#rest = next.value;
    }
    const taken = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const part = await this.some(left);
      if (part.length === 0) return;
      left -= part.length;
    }
  }

  async exactly(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const part = await this.some(left);
      if (part.length === 0) return undefined;
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }
}

const MAX_NAME_BYTES = 64 * 1024;

/**
 * The files of an archive, one after another; links and devices are passed over. Throws where the archive was cut off.
 */
export async function* tarMembers(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarMember> {
  const source = new ByteSource(chunks);
  let longName = '';
  for (;;) {
    const block = await source.exactly(TAR_BLOCK);
    if (block === undefined) throw new RangeError('the archive is truncated');
    if (isEmptyBlock(block)) return;
    const header = readTarHeader(block);
    if (header === undefined || !Number.isSafeInteger(header.size)) throw new RangeError('invalid tar header');
    const { name, type, size } = header;
    let left = size;
    async function* bytes(): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await source.some(left);
        if (part.length === 0) throw new RangeError('the archive is truncated');
        left -= part.length;
        yield part;
      }
    }
    if (type === 'L' || type === 'x') {
      const content = left > MAX_NAME_BYTES ? Buffer.alloc(0) : await collect(bytes());
      longName = type === 'L' ? tarText(content) : (paxRecords(content)?.get('path') ?? longName);
    } else if (type === '0' || type === '\0') {
      yield { name: longName || name, bytes: bytes() };
      longName = '';
    } else longName = '';
    await source.skip(left + ((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK));
  }
}

async function collect(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}
