import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { WebSocket } from 'ws';

export interface SocketAddress {
  readonly url: URL;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: ConnectionOptions;
  readonly proxyUrl?: string | undefined;
  /** Milliseconds for the connection and the first answer. */
  readonly within: number;
  /** Largest message, in bytes. */
  readonly size: number;
}

/** A server that answered, and not with what was asked for. */
export class UpgradeRejected extends Error {
  constructor(readonly response: IncomingMessage) {
    super(`the server answered ${response.statusCode ?? 0}`);
  }
}

/**
 * A connection for messages in both directions, which holds back what comes until it is resumed. What the server
 * refuses is a NoSocket with its answer.
 */
export async function openWebSocket({
  url,
  protocols,
  headers,
  tls,
  proxyUrl,
  within,
  size,
}: SocketAddress): Promise<WebSocket> {
  const { WebSocket: Client } = await import('ws');
  const address = new URL(url);
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const tunnel = proxyUrl === undefined ? undefined : await openTunnel(new URL(proxyUrl), url, within);
  const way =
    tunnel === undefined
      ? {}
      : {
          createConnection: () =>
            url.protocol === 'https:'
              ? connectTls({
                  host: url.hostname,
                  ...(isIP(url.hostname) === 0 ? { servername: url.hostname } : {}),
                  ...tls,
                  socket: tunnel,
                })
              : tunnel,
        };
  return new Promise((resolve, reject) => {
    const socket = new Client(address, [...protocols], {
      ...tls,
      ...way,
      headers,
      handshakeTimeout: within,
      maxPayload: size,
      perMessageDeflate: false,
      followRedirects: false,
    });
    socket.once('open', () => {
      // Until somebody listens.
      socket.pause();
      resolve(socket);
    });
    socket.once('error', reject);
    socket.once('unexpected-response', (_, answer: IncomingMessage) => {
      reject(new UpgradeRejected(answer));
    });
  });
}

/** A way through a proxy to the host of the address. */
function openTunnel(proxy: URL, { hostname, port, protocol }: URL, within: number): Promise<Socket> {
  if (!['http:', 'https:'].includes(proxy.protocol))
    return Promise.reject(new Error(`a terminal cannot be opened through a proxy of the kind ${proxy.protocol}//`));
  const host = `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
  const login =
    proxy.username === ''
      ? {}
      : {
          'proxy-authorization': `Basic ${Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`).toString('base64')}`,
        };
  return new Promise((resolve, reject) => {
    const ask = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      host: proxy.hostname,
      port: proxy.port,
      method: 'CONNECT',
      path: host,
      headers: { host, ...login },
      timeout: within,
    });
    ask.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        reject(new Error(`the proxy answered ${statusCode}`));
      }
    });
    ask.once('timeout', () => {
      ask.destroy(new Error('the proxy did not answer in time'));
    });
    ask.once('error', reject);
    ask.end();
  });
}
