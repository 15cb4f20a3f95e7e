import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { once } from 'node:events';
import { setSecurityHeaders } from '../http/index.js';
import { endFrame } from './frames.js';
import { trailersOf, type RpcStatus } from './status.js';

/** A call as the server sees it, however it came. */
export interface RpcCall {
  readonly headers: IncomingHttpHeaders;
  /** Such as /version.VersionService/Version. */
  readonly path: string;
  readonly remoteAddress: string;
  /** The frames of the request. */
  readonly body: Readable & { readonly headers: IncomingHttpHeaders };
  readonly isGone: boolean;
  onGone(act: () => void): void;
  /** The first one begins the answer; false if the client has not taken what was sent. */
  send(frame: Buffer): boolean;
  /** Begins an answer whose first message may be long in coming. */
  begin(): void;
  drained(signal: AbortSignal): Promise<void>;
  end(status: RpcStatus): void;
}

/** gRPC-Web over HTTP/1.1. */
export const WEB_TYPE = 'application/grpc-web';
/** gRPC over HTTP/2. */
const NATIVE_TYPE = 'application/grpc';

export function isWebCall({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && isType(headers['content-type'], WEB_TYPE);
}

export function isNativeCall(method: string | undefined, contentType: string | undefined): boolean {
  return method === 'POST' && isType(contentType, NATIVE_TYPE);
}

/** `+proto` is the only encoding of messages there is. */
function isType(header: string | undefined, type: string): boolean {
  const given = (header ?? '').split(';')[0]?.trim().toLowerCase();
  return given === type || given === `${type}+proto`;
}

export function webCall(
  request: IncomingMessage,
  response: ServerResponse,
  known: Pick<RpcCall, 'path' | 'remoteAddress'>,
): RpcCall {
  let hasBegun = false;
  const writeHead = (more: Readonly<Record<string, string>>): void => {
    hasBegun = true;
    setSecurityHeaders(response, 'data');
    // The rest of a body that was not read would be taken for the next request.
    const close = request.complete ? {} : { connection: 'close' };
    response.writeHead(200, {
      'content-type': `${WEB_TYPE}+proto`,
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...close,
      ...more,
    });
  };
  return {
    ...known,
    headers: request.headers,
    body: request,
    get isGone() {
      return response.destroyed;
    },
    onGone: (act) => {
      onGone(response, act);
    },
    begin: () => {
      if (hasBegun) return;
      writeHead({});
      response.flushHeaders();
    },
    send: (frame) => {
      if (!hasBegun) writeHead({});
      return response.write(frame);
    },
    drained: (signal) => drained(response, signal),
    end: (status) => {
      if (response.destroyed) return;
      const trailers = trailersOf(status);
      if (hasBegun) response.end(endFrame(trailers));
      else {
        // Clients of Argo CD look for what went wrong before the first message among the headers only.
        writeHead(trailers);
        response.end();
      }
    },
  };
}

export function nativeCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  known: Pick<RpcCall, 'path' | 'remoteAddress'>,
): RpcCall {
  let hasBegun = false;
  const head = { ':status': 200, 'content-type': `${NATIVE_TYPE}+proto`, 'grpc-accept-encoding': 'gzip' };
  const begin = (): void => {
    if (hasBegun || stream.destroyed) return;
    hasBegun = true;
    stream.respond(head, { waitForTrailers: true });
  };
  return {
    ...known,
    headers,
    body: Object.assign(stream, { headers }),
    get isGone() {
      return stream.destroyed;
    },
    onGone: (act) => {
      onGone(stream, act);
    },
    begin,
    send: (frame) => {
      begin();
      return stream.destroyed || stream.write(frame);
    },
    drained: (signal) => drained(stream, signal),
    end: (status) => {
      if (stream.destroyed) return;
      const trailers = trailersOf(status);
      // What the client still sends is not read.
      stream.once('finish', () => {
        if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
      });
      if (hasBegun) {
        stream.once('wantTrailers', () => {
          stream.sendTrailers(trailers);
        });
        stream.end();
      } else stream.respond({ ...head, ...trailers }, { endStream: true });
    },
  };
}

function onGone(stream: Writable, act: () => void): void {
  stream.once('close', act);
  stream.on('error', act);
}

async function drained(stream: Writable, signal: AbortSignal): Promise<void> {
  if (!stream.writableNeedDrain || signal.aborted) return;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => undefined);
}
