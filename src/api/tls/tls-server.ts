import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { ServerCertificate } from './server-certificate.js';

export interface TlsVersions {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  readonly maxVersion: 'TLSv1.2' | 'TLSv1.3';
}

export interface TlsOptions extends TlsVersions {
  readonly certificate: ServerCertificate;
}

/** The first byte of every TLS connection. */
const HANDSHAKE = 0x16;

/**
 * A server that speaks TLS, with a new certificate as soon as there is one. Whoever speaks plain HTTP to it is sent to
 * the same address over https.
 */
export function createTlsServer(
  { certificate, minVersion, maxVersion }: TlsOptions,
  options: ServerOptions & { readonly headersTimeout: number },
  take: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const pair = (): { cert: string; key: string } => ({
    cert: certificate.current.certificate,
    key: certificate.current.key,
  });
  const server = createServer(
    {
      ...options,
      ...pair(),
      minVersion,
      maxVersion,
      handshakeTimeout: options.headersTimeout,
      ALPNCallback: protocolFor,
    },
    take,
  );
  certificate.onChange(() => {
    server.setSecureContext({ ...pair(), minVersion, maxVersion });
  });
  redirectPlainRequests(server, options.headersTimeout);
  return server;
}

/** HTTP/2 only for clients that speak nothing else, which are those of gRPC. */
function protocolFor({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return ['http/1.1', 'h2'].find((protocol) => protocols.includes(protocol));
}

function redirectPlainRequests(server: Server, timeout: number): void {
  const plain = createHttpServer({ requireHostHeader: false }, redirect);
  const secure = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const drop = (): void => {
      socket.destroy();
    };
    socket.on('error', drop);
    socket.setTimeout(timeout, drop);
    socket.once('end', drop);
    const route = (): void => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) {
        socket.once('readable', route);
        return;
      }
      socket.off('end', drop);
      socket.unshift(first);
      if (first[0] === HANDSHAKE) {
        socket.setTimeout(0);
        socket.off('timeout', drop);
        for (const accept of secure) accept.call(server, socket);
      } else plain.emit('connection', socket);
    };
    socket.once('readable', route);
  });
}

/** To the host that the request names; what cannot be a host is not repeated. */
function redirect({ headers, url = '' }: IncomingMessage, response: ServerResponse): void {
  const host = headers.host ?? '';
  response.setHeader('connection', 'close');
  if (/^[a-z0-9.:[\]_-]{1,300}$/i.test(host) && /^\/(?!\/)/.test(url))
    response.writeHead(307, { location: `https://${host}${url}` }).end();
  else response.writeHead(400, { 'content-type': 'text/plain' }).end('this server speaks https\n');
}
