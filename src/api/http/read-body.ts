import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Fault } from '../../model/faults/index.js';
import { parseJson, type Json } from '../../model/json/index.js';
import { ApiError } from './api-error.js';
import type { BodyShare } from './body-budget.js';

/** The whole body; one that is larger than it may be is refused without being read. `share` limits many together. */
export function readBody(
  request: Readable & { readonly headers: IncomingHttpHeaders },
  limit: number,
  share?: BodyShare,
): Promise<Buffer> {
  const tooLarge = new ApiError('ResourceExhausted', `the body is larger than ${limit} bytes`, {
    status: 413,
    headers: { connection: 'close' },
  });
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit) return Promise.reject(tooLarge);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: unknown): void => {
      request.off('data', take);
      request.pause();
      // What was read is not kept until the connection is closed.
      chunks.length = 0;
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge;
        share?.take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    };
    request.on('data', take);
    share?.evicted.catch(refuse);
    request.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    // A request of HTTP/2 without a body has ended before anybody listens.
    if (request.readableEnded) resolve(Buffer.alloc(0));
    request.once('error', () => {
      reject(new ApiError('Canceled', 'the client went away'));
    });
    request.once('close', () => {
      reject(new ApiError('Canceled', 'the client went away'));
    });
  });
}

/** Values of a stream between which others get their turn. */
const VALUES_AT_ONCE = 200;
const [QUOTE, ESCAPE, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** One JSON object after another, as clients of a gateway send what is a stream in gRPC. */
export async function parseStream(bytes: Buffer): Promise<Json[]> {
  const values: Json[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = endOfObject(bytes, at);
    const text = bytes.subarray(at, end);
    if (text.toString('latin1').trim() !== '') values.push(parseBody(text));
    at = end;
    if (values.length % VALUES_AT_ONCE === 0) await turn();
  }
  return values;
}

/** Behind the object that begins at or after `from`; the end where none does. */
function endOfObject(bytes: Buffer, from: number): number {
  let depth = 0;
  let isText = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === ESCAPE) at++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth <= 0) return at + 1;
  }
  return bytes.length;
}

/** The body as JSON; nothing is an empty object, as in Argo CD's gateway. */
export function parseBody(bytes: Buffer): Json {
  const text = bytes.toString('utf8');
  if (text.trim() === '') return {};
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new ApiError('InvalidArgument', `the body is not JSON: ${error.message}`, { cause: error });
  }
}
