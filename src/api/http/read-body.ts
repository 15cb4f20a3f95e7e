import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
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
