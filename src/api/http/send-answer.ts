import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { writeJson, type Json } from '../../model/json/index.js';
import type { Answer, StreamWriter } from './answer.js';
import { ApiError, apiErrorOf } from './api-error.js';

const zip = promisify(gzip);
/** Smaller answers are not worth compressing. */
const WORTH_ZIPPING = 2048;
/** A proxy ends a connection on which nothing comes. */
const HEARTBEAT = 15_000;

export async function sendAnswer(
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  switch (answer.kind) {
    case 'raw':
      return answer.write(response, signal);
    case 'socket':
      throw new ApiError('InvalidArgument', 'this is a WebSocket endpoint: request an upgrade');
    case 'stream':
      return sendStream(answer, request, response, signal);
    case 'json':
      return sendBytes(
        { ...answer, kind: 'bytes', bytes: writeJson(answer.value as Json), type: 'application/json' },
        request,
        response,
      );
    case 'bytes':
      return sendBytes(answer, request, response);
    default:
      return answer satisfies never;
  }
}

async function sendBytes(
  answer: Extract<Answer, { kind: 'bytes' }>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.statusCode = answer.status ?? 200;
  response.setHeader('content-type', answer.type);
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store');
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  const bytes = typeof answer.bytes === 'string' ? Buffer.from(answer.bytes) : answer.bytes;
  const isZipped = bytes.length >= WORTH_ZIPPING && acceptsGzip(request) && !response.hasHeader('content-encoding');
  const sent = isZipped ? await zip(bytes, { level: constants.Z_BEST_SPEED }) : bytes;
  if (isZipped) response.setHeader('content-encoding', 'gzip');
  response.setHeader('vary', 'Accept-Encoding');
  response.setHeader('content-length', sent.length);
  response.end(request.method === 'HEAD' ? undefined : sent);
}

/** As Argo CD's gateway: server-sent events for whoever accepts them, otherwise one object a line. */
async function sendStream(
  { feed, headers = {} }: Extract<Answer, { kind: 'stream' }>,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const isEvents = (request.headers.accept ?? '').includes('text/event-stream');
  response.statusCode = 200;
  response.setHeader('content-type', isEvents ? 'text/event-stream' : 'application/json');
  response.setHeader('cache-control', 'no-cache, no-store');
  response.setHeader('x-accel-buffering', 'no');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.flushHeaders();
  const heart = setInterval(() => {
    if (isEvents && response.writableLength === 0) response.write(':\n\n');
  }, HEARTBEAT);
  heart.unref();
  try {
    await feed(streamWriterFor(response, isEvents, signal));
    if (!response.destroyed) response.end();
  } catch (error) {
    // The status has been sent already: the error goes into the stream, as in Argo CD's gateway.
    const known = apiErrorOf(error);
    if (known === undefined || response.destroyed) throw error;
    response.end(formatChunk('error', JSON.stringify(known.streamed), isEvents));
  } finally {
    clearInterval(heart);
  }
}

function streamWriterFor(response: ServerResponse, isEvents: boolean, signal: AbortSignal): StreamWriter {
  return {
    signal,
    send: (text) => response.write(formatChunk('result', text, isEvents)),
    drained: async () => {
      if (!response.writableNeedDrain || signal.aborted) return;
      await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(
        () => undefined,
      );
    },
  };
}

/** One message of a stream: an event, or a line. */
function formatChunk(name: 'result' | 'error', text: string, isEvents: boolean): string {
  return isEvents ? `data: {"${name}":${text}}\n\n` : `{"${name}":${text}}\n`;
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(headers['accept-encoding'] ?? '');
}
