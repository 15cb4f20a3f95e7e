import { ServerResponse, type IncomingMessage } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { Agent, request as upstreamRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** One request of the client, as the proxy saw it. */
export interface ProxiedRequest {
  /** Milliseconds of performance.now(). */
  readonly at: number;
  readonly plural: string;
  /** `list` starts a list, `page` goes on with one, `probe` asks for one object only. */
  readonly what: 'list' | 'page' | 'probe' | 'watch' | 'other';
  readonly resourceVersion: string;
  wasPassed: boolean;
}

/** What the proxy does with a request: hand it on, cut it, never answer, or answer itself. */
export type Reply =
  | 'pass'
  | 'cut'
  | 'hang'
  | { readonly status: number; readonly contentType: string; readonly body: string };

/** A watch that is open through the proxy. */
export interface OpenStream {
  readonly plural: string;
  /** Sees each whole event of the server; undefined: hand it on. */
  filter: ((line: Buffer, stream: OpenStream) => void) | undefined;
  write(bytes: Buffer | string, done?: () => void): void;
  /** The end that HTTP knows: a last chunk. */
  end(): void;
  /** A TCP reset. */
  reset(): void;
  readonly isOpen: boolean;
}

export interface FaultProxy {
  readonly url: string;
  /** Of the connections that come from now on; HTTP/1.1 where it is false. */
  isHttp2: boolean;
  readonly seen: readonly ProxiedRequest[];
  /** Decides about each request; may wait. */
  onRequest: (seen: ProxiedRequest) => Reply | Promise<Reply>;
  streams(): OpenStream[];
  close(): Promise<void>;
}

/** A proxy that ends TLS in front of a real API server and can break whatever passes, on demand. */
export async function startFaultProxy(options: {
  readonly target: string;
  readonly cert: string;
  readonly key: string;
}): Promise<FaultProxy> {
  const seen: ProxiedRequest[] = [];
  const streams = new Set<OpenStream>();
  // The sockets below TLS, by the client's port: only they can send a reset.
  const sockets = new Map<number, Socket>();
  const agent = new Agent({ keepAlive: true, ca: options.cert });
  const choose = ({ protocols }: { protocols: string[] }): string =>
    proxy.isHttp2 && protocols.includes('h2') ? 'h2' : 'http/1.1';
  const server = createSecureServer(
    { cert: options.cert, key: options.key, allowHTTP1: true, maxSessionMemory: 1024, ALPNCallback: choose },
    (request, response) => {
      response.on('error', () => {
        /* the client went away, which is its right */
      });
      void handle(request, response);
    },
  );
  const proxy: Pick<FaultProxy, 'onRequest' | 'isHttp2'> = { onRequest: () => 'pass', isHttp2: true };
  const handle = async (request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    const record = describe(request.url);
    seen.push(record);
    const reply = await proxy.onRequest(record);
    if (reply === 'hang') return;
    if (reply === 'cut') return void request.socket.destroy();
    if (reply !== 'pass')
      return void response.writeHead(reply.status, { 'content-type': reply.contentType }).end(reply.body);
    record.wasPassed = true;
    forward(request, response, record, { target: options.target, agent, streams, sockets });
  };
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    sockets.set(port, socket);
    socket.setNoDelay(true);
    socket.on('error', () => {
      /* a reset, which is what this is for */
    });
    socket.once('close', () => sockets.delete(port));
  });
  const port = await listen(server);
  return Object.assign(proxy, {
    url: `https://127.0.0.1:${port}`,
    seen,
    streams: () => [...streams].filter((stream) => stream.isOpen),
    close: async () => {
      for (const socket of sockets.values()) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function listen(server: Http2SecureServer): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

function whatIsAsked(parameters: URLSearchParams): 'watch' | 'probe' | 'page' | 'list' {
  if (parameters.has('watch')) return 'watch';
  if (parameters.get('limit') === '1') return 'probe';
  return parameters.has('continue') ? 'page' : 'list';
}

function describe(path: string): ProxiedRequest {
  const { pathname, searchParams } = new URL(path, 'https://proxy');
  const plural = /\/namespaces\/[^/]+\/([a-z]+)$/.exec(pathname)?.[1];
  return {
    at: performance.now(),
    plural: plural ?? '',
    what: plural === undefined ? 'other' : whatIsAsked(searchParams),
    resourceVersion: searchParams.get('resourceVersion') ?? '',
    wasPassed: false,
  };
}

interface Upstream {
  readonly target: string;
  readonly agent: Agent;
  readonly streams: Set<OpenStream>;
  readonly sockets: ReadonlyMap<number, Socket>;
}

function forward(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  record: ProxiedRequest,
  way: Upstream,
): void {
  const named = Object.entries(request.headers).filter(([name]) => !name.startsWith(':'));
  const upstream = upstreamRequest(
    way.target + request.url,
    {
      method: request.method,
      headers: { ...Object.fromEntries(named), host: new URL(way.target).host },
      agent: way.agent,
    },
    (answer) => {
      const { 'transfer-encoding': _, connection: __, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, headers);
      // By HTTP/1.1 they would wait for the first event.
      if (response instanceof ServerResponse) response.flushHeaders();
      if (record.what === 'watch' && answer.statusCode === 200) relay(answer, response, record, way);
      else answer.pipe(response);
      answer.on('error', () => cut(response));
    },
  );
  upstream.on('error', () => cut(response));
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}

/** What is known of it by HTTP/1.1 may be gone before the answer. */
function socketOf(response: Http2ServerResponse): Socket | null {
  return response.socket;
}

function cut(response: Http2ServerResponse): void {
  socketOf(response)?.destroy();
}

/** Hands a watch on event by event, so that a fault can stand between two events or inside one. */
function relay(
  answer: IncomingMessage,
  response: Http2ServerResponse,
  record: ProxiedRequest,
  { streams, sockets }: Upstream,
): void {
  let rest = Buffer.alloc(0);
  const stream = openStream(response, record, sockets.get(socketOf(response)?.remotePort ?? 0));
  streams.add(stream);
  answer.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end + 1);
      rest = rest.subarray(end + 1);
      if (stream.filter === undefined) stream.write(line);
      else stream.filter(line, stream);
    }
  });
  answer.once('end', () => stream.end());
  response.once('close', () => streams.delete(stream));
}

function openStream(response: Http2ServerResponse, record: ProxiedRequest, socket: Socket | undefined): OpenStream {
  const isOpen = (): boolean => !response.writableEnded && socketOf(response)?.destroyed === false;
  return {
    plural: record.plural,
    filter: undefined,
    write: (bytes, done) => {
      if (isOpen()) response.write(bytes, () => done?.());
    },
    end: () => response.end(),
    reset: () => socket?.resetAndDestroy(),
    get isOpen() {
      return isOpen();
    },
  };
}
