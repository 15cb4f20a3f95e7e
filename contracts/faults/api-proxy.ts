import type { IncomingMessage } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { Agent, request as upstreamRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { describeCall, type ApiCall } from './api-call.js';

/** What the proxy does with a request instead of handing it on, or with the answer of the server. */
export type Damage =
  | { readonly kind: 'none' }
  /** Answers itself; the server never sees the request. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** A TCP reset, before the server saw the request or after it answered. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** No answer for so long, then the connection is cut. */
  | { readonly kind: 'hang'; readonly ms: number }
  /** The server's answer: cut in half, byte by byte, or changed. */
  | { readonly kind: 'truncate' }
  | { readonly kind: 'drip'; readonly ms: number }
  | { readonly kind: 'replace'; readonly change: (body: Buffer) => Buffer };

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface ApiProxy {
  readonly url: string;
  /** Every request so far, with what became of it. */
  readonly calls: readonly RecordedCall[];
  /** Decides about each request. */
  decide: (call: ApiCall) => Damage;
  /** The server has answered and the client does not know it yet. */
  beforeReply: (call: ApiCall, answer: Answer) => void;
  /** The client was handed the whole answer. */
  afterReply: (call: ApiCall, answer: Answer) => void;
  /** Refuses every connection and cuts those that are there. */
  setOnline(isOnline: boolean): void;
  /** Cuts the watches of a resource, or of all. */
  cutWatches(resource?: string): void;
  forget(): void;
  close(): Promise<void>;
}

export interface RecordedCall extends ApiCall {
  damage: Damage['kind'];
  status: number;
}

const PASS: Damage = { kind: 'none' };

/**
 * A proxy that ends TLS in front of a real API server, speaks HTTP/2 as that does, and knows of each request before it
 * is sent, when it is answered and when the answer was delivered.
 */
export async function startApiProxy(options: {
  readonly target: string;
  readonly cert: string;
  readonly key: string;
  /** Who signed the certificate of the server; itself where it is not told. */
  readonly ca?: string;
}): Promise<ApiProxy> {
  const sockets = new Map<string, Socket>();
  const watches = new Map<Http2ServerResponse, string>();
  const agent = new Agent({ keepAlive: true, ca: options.ca ?? options.cert });
  const calls: RecordedCall[] = [];
  let isOnline = true;
  const handle = async (request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    const call: RecordedCall = { ...describeCall(request.method, request.url), damage: 'none', status: 0 };
    calls.push(call);
    const body = await bodyOf(request);
    const socket = sockets.get(addressOf(request.socket));
    const damage = isOnline ? proxy.decide(call) : ({ kind: 'reset', when: 'before' } as const);
    call.damage = damage.kind;
    if (damage.kind === 'answer')
      return void response
        .writeHead((call.status = damage.status), { 'content-type': 'application/json', ...damage.headers })
        .end(damage.body);
    if (damage.kind === 'reset' && damage.when === 'before') return void socket?.resetAndDestroy();
    if (damage.kind === 'hang') return void setTimeout(() => socket?.destroy(), damage.ms).unref();
    const way: Upstream = { target: options.target, agent, request, body };
    if (call.verb === 'watch')
      return relay(way, response, () => {
        watches.set(response, call.resource);
        response.once('close', () => watches.delete(response));
      });
    const answer = await forward(way);
    call.status = answer.status;
    proxy.beforeReply(call, answer);
    if (damage.kind === 'reset') return void socket?.resetAndDestroy();
    deliver(response, answer, damage, () => {
      proxy.afterReply(call, answer);
    });
  };
  const server = createSecureServer(
    { cert: options.cert, key: options.key, maxSessionMemory: 1024 },
    (request, response) => {
      response.on('error', () => {
        /* the client went away, which is its right */
      });
      handle(request, response).catch(() => {
        request.socket.destroy();
      });
    },
  );
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    sockets.set(address, socket);
    socket.setNoDelay(true);
    socket.on('error', () => {
      /* a reset, which is what this is for */
    });
    socket.once('close', () => sockets.delete(address));
    if (!isOnline) socket.resetAndDestroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const proxy: ApiProxy = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    decide: () => PASS,
    beforeReply: () => undefined,
    afterReply: () => undefined,
    setOnline: (online) => {
      isOnline = online;
      if (!online) for (const socket of sockets.values()) socket.resetAndDestroy();
    },
    cutWatches: (resource) => {
      for (const [response, of] of watches) if (resource === undefined || resource === of) response.stream.destroy();
    },
    forget: () => {
      calls.length = 0;
    },
    close: async () => {
      for (const socket of sockets.values()) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

interface Upstream {
  readonly target: string;
  readonly agent: Agent;
  readonly request: Http2ServerRequest;
  readonly body: Buffer;
}

function addressOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? 0}`;
}

async function bodyOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function open(
  { target, agent, request, body }: Upstream,
  answered: (answer: IncomingMessage) => void,
  failed: (error: Error) => void,
): { destroy: () => void } {
  const named = Object.entries(request.headers).filter(([name]) => !name.startsWith(':'));
  const headers = { ...Object.fromEntries(named), host: new URL(target).host, 'content-length': body.length };
  const upstream = upstreamRequest(target + request.url, { method: request.method, headers, agent }, answered);
  upstream.on('error', failed);
  upstream.end(body);
  return { destroy: () => upstream.destroy() };
}

function forward(way: Upstream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    open(
      way,
      (answer) => {
        bodyOf(answer).then((body) => {
          resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body });
        }, reject);
      },
      reject,
    );
  });
}

function relay(way: Upstream, response: Http2ServerResponse, opened: () => void): void {
  const upstream = open(
    way,
    (answer) => {
      const { 'transfer-encoding': _, connection: __, 'keep-alive': ___, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, headers);
      opened();
      answer.pipe(response);
      answer.on('error', () => response.stream.destroy());
    },
    () => response.stream.destroy(),
  );
  response.on('close', () => {
    upstream.destroy();
  });
}

const DRIP_EVERY = 1000;

function deliver(response: Http2ServerResponse, answer: Answer, damage: Damage, done: () => void): void {
  const {
    'content-length': _,
    'transfer-encoding': __,
    connection: ___,
    'keep-alive': ____,
    ...headers
  } = answer.headers;
  if (damage.kind === 'truncate') {
    response.writeHead(answer.status, { ...headers, 'content-length': answer.body.length });
    response.write(answer.body.subarray(0, answer.body.length >> 1), () => response.stream.destroy());
    return;
  }
  if (damage.kind === 'drip') {
    response.writeHead(answer.status, { ...headers, 'content-length': answer.body.length });
    drip(response, answer.body, damage.ms);
    return;
  }
  const body = damage.kind === 'replace' ? damage.change(answer.body) : answer.body;
  response.once('finish', done);
  response.writeHead(answer.status, { ...headers, 'content-length': body.length }).end(body);
}

/** One byte a second, and a cut at the end of its time. */
function drip(response: Http2ServerResponse, body: Buffer, ms: number): void {
  let sent = 0;
  const end = performance.now() + ms;
  const timer = setInterval(() => {
    if (response.stream.destroyed || performance.now() > end) {
      clearInterval(timer);
      response.stream.destroy();
      return;
    }
    response.write(body.subarray(sent, ++sent));
    if (sent < body.length) return;
    clearInterval(timer);
    response.end();
  }, DRIP_EVERY);
  response.once('close', () => {
    clearInterval(timer);
  });
}
