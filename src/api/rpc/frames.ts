import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError } from '../http/index.js';

const unzip = promisify(gunzip);
const HEADER_LENGTH = 5;
const COMPRESSED = 1;
/** The frame of gRPC-Web with what would be trailers. */
const END = 0x80;

interface Frame {
  readonly isCompressed: boolean;
  readonly content: Buffer;
}

/** The messages of a request; `limit` is what one may have, also once it is unpacked. */
export async function readMessages(body: Buffer, encoding: string, limit: number): Promise<Buffer[]> {
  const messages: Buffer[] = [];
  let left = limit;
  for (const { isCompressed, content } of framesIn(body)) {
    const message = isCompressed ? await decompress(content, encoding, left) : content;
    left -= message.length;
    messages.push(message);
  }
  return messages;
}

function* framesIn(body: Buffer): Generator<Frame> {
  for (let at = 0; at < body.length; ) {
    if (body.length - at < HEADER_LENGTH) throw new ApiError('Internal', 'unexpected EOF');
    const flag = body[at] ?? 0;
    const length = body.readUInt32BE(at + 1);
    at += HEADER_LENGTH;
    if (flag > COMPRESSED) throw new ApiError('Internal', `grpc: received unexpected payload format ${flag}`);
    if (length > body.length - at) throw new ApiError('Internal', 'unexpected EOF');
    yield { isCompressed: flag === COMPRESSED, content: body.subarray(at, at + length) };
    at += length;
  }
}

async function decompress(content: Buffer, encoding: string, limit: number): Promise<Buffer> {
  if (encoding === '' || encoding === 'identity')
    throw new ApiError('Internal', 'grpc: compressed flag set with identity or empty encoding');
  if (encoding !== 'gzip')
    throw new ApiError('Unimplemented', `grpc: Decompressor is not installed for grpc-encoding "${encoding}"`);
  try {
    return await unzip(content, { maxOutputLength: Math.max(limit, 1) });
  } catch (error) {
    if (error instanceof RangeError)
      throw new ApiError('ResourceExhausted', `grpc: received message after decompression larger than max ${limit}`, {
        cause: error,
      });
    throw new ApiError('Internal', 'grpc: failed to decompress the received message', { cause: error });
  }
}

/** One message of an answer. */
export function messageFrame(message: Buffer): Buffer {
  return frame(0, message);
}

/** How an answer over gRPC-Web ends. */
export function endFrame(trailers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`);
  return frame(END, Buffer.from(lines.join('')));
}

function frame(flag: number, content: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_LENGTH + content.length);
  bytes[0] = flag;
  bytes.writeUInt32BE(content.length, 1);
  content.copy(bytes, HEADER_LENGTH);
  return bytes;
}
