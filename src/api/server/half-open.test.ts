import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer, type Server as SecureServer } from 'node:https';
import { connect as connectPlain, type AddressInfo, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { expect, it } from 'vitest';
import { issueCertificate } from '../../model/certificates/index.js';
import { limitHalfOpen } from './half-open.js';

const { certificate, key } = issueCertificate({
  commonName: 'localhost',
  use: 'server',
  hosts: ['localhost'],
  notBefore: new Date(),
  days: 1,
});

/** Opens connections one by one, each with a request, and says which of them the server closed. */
async function closedOf(
  server: Server | SecureServer,
  connectTo: (port: number) => Socket,
  arrival: 'connection' | 'secureConnection',
  sends: readonly boolean[],
): Promise<boolean[]> {
  server.keepAliveTimeout = 0;
  server.on('request', (_, response: { end(text: string): void }) => {
    response.end('ok');
  });
  limitHalfOpen(server, { ofAddress: 2 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  try {
    for (const sendsRequest of sends) {
      const arrived = once(server, arrival);
      const socket = connectTo(port).on('error', () => undefined);
      sockets.push(socket);
      await arrived;
      if (!sendsRequest) continue;
      socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await once(socket, 'data');
    }
    // The oldest that sent nothing goes; the others answered after it had gone.
    const oldest = sockets[sends.indexOf(false)];
    if (oldest?.closed === false) await once(oldest, 'close');
    return sockets.map(({ closed }) => closed);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  }
}

it.each([
  ['http', 'connection', () => createHttpServer(), (port: number) => connectPlain(port, 'localhost')],
  [
    'https',
    'secureConnection',
    () => createHttpsServer({ cert: certificate, key }),
    (port: number) => connectSecure({ port, host: 'localhost', ca: certificate }),
  ],
] as const)(
  'over %s, only connections that have not sent a request are closed',
  async (_, arrival, open, connectTo) => {
    expect(await closedOf(open(), connectTo, arrival, [false, true, true, true, false, false])).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  },
);
