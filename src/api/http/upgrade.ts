import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { webSocketHandshakeError } from '../../model/formats/index.js';
import type { Answer, MessageSocket } from './answer.js';
import { ApiError } from './api-error.js';

/** A connection whose client asks for another protocol than HTTP. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly head: Buffer;
}

/** Largest message of a client, and how much a client may leave unread, in bytes. */
const MAX_MESSAGE_BYTES = 1 << 20;
const MAX_UNREAD_BYTES = 1 << 20;
/** Milliseconds between two questions whether a client is still there. */
const HEARTBEAT = 15_000;

/**
 * Such requests take the way of all others, with all its checks: only an answer that is a conversation accepts one.
 * `close` ends those that are left.
 */
export function handleUpgrades(
  server: Server,
  take: (request: IncomingMessage, response: ServerResponse, upgrade: Upgrade) => void,
): { close(): void } {
  const sockets = new Set<Socket>();
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if ((request.headers.upgrade ?? '').toLowerCase() !== 'websocket') {
      ignoreUpgrade(server, request, socket, head);
      return;
    }
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
    });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    socket.on('error', () => {
      socket.destroy();
    });
    response.once('finish', () => {
      socket.end();
    });
    take(request, response, { request, response, socket, head });
  });
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Who offers another protocol, as curl offers HTTP/2, is answered as if it had not: the request is read again without
 * the offer.
 */
function ignoreUpgrade(
  server: Server,
  { method = '', url = '', rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const lines = Array.from(
    { length: rawHeaders.length / 2 },
    (_, index) => [rawHeaders[2 * index] ?? '', rawHeaders[2 * index + 1] ?? ''] as const,
  ).filter(([name]) => !['upgrade', 'connection', 'http2-settings'].includes(name.toLowerCase()));
  socket.unshift(
    Buffer.concat([
      Buffer.from(
        `${method} ${url} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
        'latin1',
      ),
      head,
    ]),
  );
  server.emit('connection', socket);
}

export async function answerUpgrade(
  answer: Extract<Answer, { kind: 'socket' }>,
  { request, response, socket, head }: Upgrade,
  gone: AbortController,
): Promise<void> {
  const problem = webSocketHandshakeError(request);
  if (problem !== undefined) throw new ApiError('InvalidArgument', problem);
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  response.detachSocket(socket);
  const opened = await new Promise<WebSocket>((resolve) => {
    server.handleUpgrade(request, socket, head, resolve);
  });
  // Until somebody listens.
  opened.pause();
  opened.on('error', () => {
    opened.terminate();
  });
  opened.once('close', () => {
    gone.abort();
  });
  const stopHeart = keepAlive(opened);
  try {
    await answer.hold(messageSocket(opened), gone.signal);
    opened.close(1000);
  } catch (error) {
    opened.close(1011, 'this is a defect of Argosy; its log tells more');
    throw error;
  } finally {
    stopHeart();
    // One that does not say goodbye is not waited for.
    setTimeout(() => {
      opened.terminate();
    }, 1000).unref();
  }
}

function keepAlive(socket: WebSocket): () => void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) socket.terminate();
    isAlive = false;
    socket.ping();
  }, HEARTBEAT);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

function messageSocket(socket: WebSocket): MessageSocket {
  const waiting = new Set<() => void>();
  const release = (): void => {
    if (socket.bufferedAmount > MAX_UNREAD_BYTES && socket.readyState === socket.OPEN) return;
    for (const each of waiting) each();
    waiting.clear();
  };
  socket.once('close', release);
  return {
    send: (text) => {
      if (socket.readyState === socket.OPEN) socket.send(text, release);
    },
    get isFull() {
      return socket.bufferedAmount > MAX_UNREAD_BYTES;
    },
    drained: () =>
      socket.bufferedAmount > MAX_UNREAD_BYTES && socket.readyState === socket.OPEN
        ? new Promise((resolve) => {
            waiting.add(resolve);
          })
        : Promise.resolve(),
    onMessage: (take) => {
      socket.on('message', (message: Buffer) => {
        take(message.toString('utf8'));
      });
      socket.resume();
    },
    close: (reason) => {
      socket.close(1008, reason);
    },
  };
}
