import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { webSocketHandshakeError } from './handshake.js';

/** A client that wants to exchange messages instead of getting an answer. */
export interface Upgrade {
  /** Why the request is no WebSocket handshake; undefined if it is one. */
  readonly handshakeError: string | undefined;
  /** The subprotocols that the client offers, in its order. */
  readonly protocols: readonly string[];
  /** Opens the connection. Only for a request without a handshakeError. */
  accept(protocol?: string): Promise<WebSocket>;
}

/** Largest message of a client, in bytes. */
const MAX_MESSAGE_BYTES = 1 << 20;

interface UpgradeOptions {
  /** Whether an offer of any other protocol is answered as if it had not been made. */
  readonly ignoresOtherProtocols?: boolean;
}

type Handle = (request: IncomingMessage, response: ServerResponse, upgrade: Upgrade) => void;

/**
 * Requests to change the protocol go the way of all others, with all its checks; the handler may accept one. A server
 * that closes does not end such connections by itself: `close` does.
 */
export function handleUpgrades(
  server: Server | SecureServer,
  handle: Handle,
  { ignoresOtherProtocols = false }: UpgradeOptions = {},
): { close(): void } {
  const open = new Set<Socket>();
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (ignoresOtherProtocols && (request.headers.upgrade ?? '').toLowerCase() !== 'websocket') {
      ignoreUpgrade(server, request, socket, head);
      return;
    }
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
    });
    const response = openResponse(request, socket);
    handle(request, response, {
      handshakeError: webSocketHandshakeError(request),
      protocols: (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim()),
      accept: async (protocol) => {
        const { WebSocketServer } = await import('ws');
        const sockets = new WebSocketServer({
          noServer: true,
          maxPayload: MAX_MESSAGE_BYTES,
          perMessageDeflate: false,
          ...(protocol === undefined ? {} : { handleProtocols: () => protocol }),
        });
        response.detachSocket(socket);
        return new Promise((resolve) => {
          sockets.handleUpgrade(request, socket, head, resolve);
        });
      },
    });
  });
  return {
    close: () => {
      for (const socket of open) socket.destroy();
    },
  };
}

function openResponse(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  socket.on('error', () => {
    socket.destroy();
  });
  response.once('finish', () => {
    socket.end();
  });
  return response;
}

/** Clients that offer another protocol, as curl offers HTTP/2: the request is read again without the offer. */
function ignoreUpgrade(
  server: Server | SecureServer,
  { method = '', url = '', rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const lines = Array.from(
    { length: rawHeaders.length / 2 },
    (_, index) => [rawHeaders[2 * index] ?? '', rawHeaders[2 * index + 1] ?? ''] as const,
  ).filter(([name]) => !['upgrade', 'connection', 'http2-settings'].includes(name.toLowerCase()));
  const text = `${method} ${url} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(text, 'latin1'), head]));
  server.emit('connection', socket);
}
