import type { IncomingMessage, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';

/** Connections that have not sent a whole request yet. */
const MAX_ALTOGETHER = 1024;
const MAX_OF_ADDRESS = 256;

/**
 * Closes connections that wait without having sent a request, the oldest first, where there are too many of them: they
 * cost memory, and anybody can open them. Connections between two requests are not counted. Gives what says of a
 * connection that a request has come on it, for those that are not HTTP/1.1.
 */
export function limitHalfOpen(
  server: Server | SecureServer,
  {
    altogether = MAX_ALTOGETHER,
    ofAddress = MAX_OF_ADDRESS,
    isExempt = () => false,
  }: {
    readonly altogether?: number;
    readonly ofAddress?: number;
    /** A proxy, whose connections are those of many clients. */
    readonly isExempt?: (address: string) => boolean;
  } = {},
): (socket: Pick<Socket, 'remoteAddress' | 'remotePort'>) => void {
  const waiting = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const name = peerOf(socket);
    waiting.set(name, socket);
    socket.once('close', () => waiting.delete(name));
    const same = [...waiting.values()].filter(({ remoteAddress }) => remoteAddress === socket.remoteAddress);
    if (same.length > ofAddress && !isExempt(socket.remoteAddress ?? '')) same[0]?.destroy();
    if (waiting.size > altogether) [...waiting.values()][0]?.destroy();
  });
  const arrived = (socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void => {
    waiting.delete(peerOf(socket));
  };
  for (const event of ['request', 'checkExpectation', 'upgrade'])
    server.on(event, ({ socket }: IncomingMessage) => {
      arrived(socket);
    });
  return arrived;
}

/** The socket of a request over TLS is another object than that of its connection: both have the same peer. */
function peerOf({ remoteAddress = '', remotePort = 0 }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
