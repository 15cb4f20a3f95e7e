const BLOCK = 512;

/** A file of an archive; its bytes must be read, or left, before the next one comes. */
export interface TarMember {
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
}

/** Whether a file begins as an archive of tar does. */
export function isTar(start: Buffer): boolean {
  return start.length >= BLOCK && start.toString('latin1', 257, 262) === 'ustar';
}

/** Bytes by count, however they come. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At most so many bytes; none at the end. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return this.#rest;
      this.#rest = next.value;
    }
    const taken = this.#rest.subarray(0, most);
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

const text = (block: Buffer, from: number, to: number): string => block.toString('utf8', from, to).split('\0')[0] ?? '';
const MAX_NAME_BYTES = 64 * 1024;

/**
 * The files of an archive, one after another; links and devices are passed over. Throws where the archive was cut off.
 */
export async function* tarMembers(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarMember> {
  const source = new ByteSource(chunks);
  let longName = '';
  for (;;) {
    const header = await source.exactly(BLOCK);
    if (header === undefined) throw new RangeError('the archive ends in the middle');
    if (header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(text(header, 124, 136).trim() || '0', 8);
    if (!Number.isSafeInteger(size) || size < 0) throw new RangeError('a header of the archive says no size');
    const type = String.fromCharCode(header[156] ?? 0);
    let left = size;
    async function* bytes(): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await source.some(left);
        if (part.length === 0) throw new RangeError('the archive ends in the middle');
        left -= part.length;
        yield part;
      }
    }
    if (type === 'L' || type === 'x') {
      const told = left > MAX_NAME_BYTES ? '' : (await collect(bytes())).toString('utf8');
      longName = type === 'L' ? (told.split('\0')[0] ?? '') : (/(?:^|\n)\d+ path=(.*)\n/.exec(told)?.[1] ?? longName);
    } else if (type === '0' || type === '\0') {
      const prefix = text(header, 345, 500);
      yield { name: longName || (prefix === '' ? '' : `${prefix}/`) + text(header, 0, 100), bytes: bytes() };
      longName = '';
    } else longName = '';
    await source.skip(left + ((BLOCK - (size % BLOCK)) % BLOCK));
  }
}

async function collect(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}
