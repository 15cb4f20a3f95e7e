import type { IncomingHttpHeaders, Server } from 'node:http';
import { constants, createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isNativeCall } from '../rpc/index.js';

/** How every HTTP/2 connection begins; no method of HTTP/1.1 begins so. */
const PREFACE = 'PRI';
const MAX_STREAMS = 250;
const MAX_HEADERS = 16 * 1024;
/** MiB of one connection. */
const MAX_MEMORY = 32;
/** Milliseconds after which a connection without streams is closed. */
const IDLE = 120_000;

export interface Http2Options {
  /** Milliseconds for the first bytes of a connection. */
  readonly timeout: number;
  readonly isTls: boolean;
  take(call: Http2Call): void;
}

/** A call of gRPC; the headers are those that HTTP/1.1 would have. */
export interface Http2Call {
  readonly stream: ServerHttp2Stream;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, 'remoteAddress' | 'remotePort'>;
}

/**
 * Takes gRPC over HTTP/2 on the port of HTTP/1.1: over TLS where a client speaks nothing else, without TLS by the first
 * bytes of the connection. Everything that can speak HTTP/1.1 goes on doing so, the page and its WebSockets too.
 */
export function acceptHttp2(server: Server | SecureServer, { timeout, isTls, take }: Http2Options): { close(): void } {
  const sessions = new Set<ServerHttp2Session>();
  const http2 = createServer({
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADERS, enablePush: false },
    maxSessionMemory: MAX_MEMORY,
    unknownProtocolTimeout: timeout,
  });
  http2.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    closeWhenIdle(session);
  });
  // A connection that breaks ends by itself.
  http2.on('sessionError', () => undefined);
  http2.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const { ':path': path = '', ':method': method, ':authority': authority, ...rest } = headers;
    const known: IncomingHttpHeaders = { ...rest, host: authority ?? rest.host };
    if (!isNativeCall(method, known['content-type'])) {
      refuse(stream);
      return;
    }
    const { remoteAddress, remotePort } = stream.session?.socket ?? {};
    take({ stream, path, headers: known, socket: { remoteAddress, remotePort } });
  });
  if (isTls) routeByProtocol(server, http2);
  else routeByPreface(server, http2, timeout);
  return {
    close: () => {
      for (const session of sessions) session.close();
      setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, 250).unref();
    },
  };
}

/** A stream may be silent for as long as it likes. */
function closeWhenIdle(session: ServerHttp2Session): void {
  let open = 0;
  session.on('stream', (stream) => {
    open++;
    stream.once('close', () => open--);
  });
  session.setTimeout(IDLE, () => {
    if (open === 0) session.close();
  });
}

/** Only gRPC is spoken over HTTP/2. */
function refuse(stream: ServerHttp2Stream): void {
  stream.respond(
    { ':status': constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE, 'content-type': 'text/plain' },
    { endStream: false },
  );
  stream.end('only gRPC is spoken over HTTP/2 here: use HTTP/1.1\n');
  stream.resume();
}

type Accept = (socket: Socket) => void;

function takeListeners(server: Server | SecureServer, event: 'connection' | 'secureConnection'): Accept {
  const listeners = server.listeners(event) as Accept[];
  server.removeAllListeners(event);
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
}

function routeByProtocol(server: Server | SecureServer, http2: ReturnType<typeof createServer>): void {
  const accept = takeListeners(server, 'secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.emit('connection', socket);
    else accept(socket);
  });
}

function routeByPreface(server: Server | SecureServer, http2: ReturnType<typeof createServer>, timeout: number): void {
  const accept = takeListeners(server, 'connection');
  server.on('connection', (socket: Socket) => {
    const drop = (): void => {
      socket.destroy();
    };
    socket.on('error', drop);
    socket.setTimeout(timeout, drop);
    socket.once('end', drop);
    const route = (): void => {
      const head = socket.read() as Buffer | null;
      if (head === null) {
        socket.once('readable', route);
        return;
      }
      socket.unshift(head);
      const text = head.toString('latin1', 0, PREFACE.length);
      if (text !== PREFACE && PREFACE.startsWith(text)) {
        waitForMore(socket, head.length, route);
        return;
      }
      socket.off('end', drop).off('timeout', drop).off('error', drop).setTimeout(0);
      if (text === PREFACE) http2.emit('connection', socket);
      else accept(socket);
    };
    socket.once('readable', route);
  });
}

/** Until more than `length` bytes have come: what was put back is readable at once. */
function waitForMore(socket: Socket, length: number, act: () => void): void {
  const look = (): void => {
    if (socket.readableLength > length) act();
    else socket.once('readable', look);
  };
  socket.once('readable', look);
}
