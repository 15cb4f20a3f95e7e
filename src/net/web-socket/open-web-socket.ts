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

/** The server answered with an ordinary response. */
export class UpgradeRejected extends Error {
  constructor(readonly response: IncomingMessage) {
    super(`the server answered ${response.statusCode ?? 0}`);
  }
}

/**
 * A connection for messages in both directions, paused until the caller resumes it. A refusal of the server is an
 * UpgradeRejected with its response.
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
  const connection = tunnel === undefined ? {} : { createConnection: () => secured(tunnel, url, tls) };
  return new Promise((resolve, reject) => {
    const socket = new Client(address, [...protocols], {
      ...tls,
      ...connection,
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

function secured(socket: Socket, { protocol, hostname }: URL, tls: ConnectionOptions): Socket {
  if (protocol !== 'https:') return socket;
  const servername = isIP(hostname) === 0 ? { servername: hostname } : {};
  return connectTls({ host: hostname, ...servername, ...tls, socket });
}

/** A way through a proxy to the host of the address. */
function openTunnel(proxy: URL, { hostname, port, protocol }: URL, within: number): Promise<Socket> {
  if (!['http:', 'https:'].includes(proxy.protocol))
    return Promise.reject(new Error(`a terminal cannot be opened through a proxy of the kind ${proxy.protocol}//`));
  const host = `${hostname}:${port || defaultPort(protocol)}`;
  return new Promise((resolve, reject) => {
    const ask = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      host: proxy.hostname,
      port: proxy.port,
      method: 'CONNECT',
      path: host,
      headers: { host, ...proxyLogin(proxy) },
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

function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80;
}

function proxyLogin({ username, password }: URL): { readonly 'proxy-authorization'?: string } {
  if (username === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}
