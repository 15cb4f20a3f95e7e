import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { webSocketHandshakeError } from '../../model/formats/index.js';

/** A client that wants to exchange messages instead of getting an answer. */
export interface Upgrade {
  /** Undefined where it speaks none of these protocols; otherwise the one that it names first, and the connection. */
  accept(protocols: readonly string[]): Promise<{ readonly socket: WebSocket; readonly protocol: string } | undefined>;
}

type Handle = (request: IncomingMessage, response: ServerResponse, upgrade: Upgrade) => void;

/** Largest message of a client, in bytes. */
const MAX_MESSAGE_BYTES = 1 << 20;

/**
 * Requests to change the protocol take the way of all others, with all its checks; whoever handles one may accept. A
 * server that closes does not end such connections by itself: `close` does.
 */
export function takeUpgrades(server: Server, handle: Handle): { close(): void } {
  const sockets = new Set<Socket>();
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
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
    handle(request, response, { accept: (protocols) => accept(request, response, { socket, head }, protocols) });
  });
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function accept(
  request: IncomingMessage,
  response: ServerResponse,
  { socket, head }: { readonly socket: Socket; readonly head: Buffer },
  protocols: readonly string[],
): ReturnType<Upgrade['accept']> {
  const wanted = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const protocol = wanted.find((name) => protocols.includes(name));
  if (protocol === undefined || webSocketHandshakeError(request) !== undefined) return undefined;
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => protocol,
  });
  response.detachSocket(socket);
  return new Promise((resolve) => {
    server.handleUpgrade(request, socket, head, (opened) => {
      resolve({ socket: opened, protocol });
    });
  });
}
