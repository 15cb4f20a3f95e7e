import type { IncomingMessage } from 'node:http';
import { Fault } from '../../model/faults/index.js';
import { parseJson, type Json } from '../../model/json/index.js';
import { ApiError } from './api-error.js';

/** The whole body; one that is larger than it may be is refused without being read. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = new ApiError('ResourceExhausted', `the body is larger than ${limit} bytes`, {
    status: 413,
    headers: { connection: 'close' },
  });
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit) return Promise.reject(tooLarge);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.pause();
        reject(tooLarge);
      } else chunks.push(chunk);
    });
    request.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
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
