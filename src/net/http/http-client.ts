import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';

/** What we trust and what identifies us. */
export type ClientTls = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'secureContext' | 'servername'
>;

export interface HttpClientOptions {
  readonly tls?: ClientTls;
  readonly proxy?: HttpProxy | undefined;
  /** Looks up host names; a proxy looks them up itself. */
  readonly lookup?: LookupFunction;
  /** Milliseconds to connect. */
  readonly connectWithin?: number;
  /** Milliseconds for a whole request; without it, the signal of the request is the only limit. */
  readonly within?: number;
  /** Milliseconds after which an idle connection is closed. */
  readonly keepAlive?: number;
}

interface HttpProxy {
  readonly url: string;
  /** False to hand plain requests to the proxy instead of tunnelling through it. */
  readonly isTunnel?: boolean;
}

export interface HttpRequest {
  /** Such as `https://example.com`. */
  readonly origin: string;
  /** With the query; sent as it is. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

export interface WholeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface ReadLimits {
  readonly maxBytes: number;
  /** A larger body is a ResponseTooLarge by default; `cut` keeps its beginning. */
  readonly whenLarger?: 'fail' | 'cut';
}

interface ExchangeOptions extends ReadLimits {
  /** A redirect is an error instead of a response. */
  readonly refusesRedirects?: boolean;
}

/** The response has more bytes than the caller takes. */
export class ResponseTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super('the answer is too large');
  }
}

/** The statuses that name another address in `location`. */
export const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Keeps connections until it is closed. */
export class HttpClient {
  readonly #dispatcher: Dispatcher;
  readonly #within: number | undefined;

  constructor(options: HttpClientOptions = {}) {
    this.#dispatcher = openDispatcher(options);
    this.#within = options.within;
  }

  /** The response as soon as its headers are there; the caller reads or destroys the body. */
  send({ origin, path, method, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
    const limit = signal ?? (this.#within === undefined ? undefined : AbortSignal.timeout(this.#within));
    return this.#dispatcher.request({
      origin,
      path,
      method: method,
      headers,
      ...(limit === undefined ? {} : { signal: limit }),
      ...(body === undefined ? {} : { body }),
    });
  }

  /** The whole response, whatever its status. */
  async exchange(request: HttpRequest, limits: ExchangeOptions): Promise<WholeResponse> {
    const { statusCode, headers, body } = await this.send(request);
    if (limits.refusesRedirects === true && REDIRECTS.includes(statusCode)) {
      body.on('error', () => undefined).destroy();
      throw new Error('the server redirects');
    }
    return { status: statusCode, headers: joinHeaders(headers), body: await readBody(body, headers, limits) };
  }

  /** Lets running requests end. */
  close(): Promise<void> {
    return this.#dispatcher.close();
  }

  destroy(): Promise<void> {
    return this.#dispatcher.destroy();
  }
}

/** One request on a connection of its own. */
export async function requestOnce(
  url: string,
  request: Omit<HttpRequest, 'origin' | 'path'>,
  { within, ...limits }: ExchangeOptions & { readonly within: number },
): Promise<WholeResponse> {
  const client = new HttpClient({ within });
  try {
    return await client.exchange({ ...splitUrl(url), ...request }, limits);
  } finally {
    await client.destroy();
  }
}

/** Without user and password: they never travel in an address. */
export function splitUrl(url: string | URL): { readonly origin: string; readonly path: string } {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}` };
}

function openDispatcher({ tls, proxy, lookup, connectWithin, within, keepAlive }: HttpClientOptions): Dispatcher {
  const timeout = connectWithin === undefined ? {} : { timeout: connectWithin };
  const pool = {
    headersTimeout: within ?? 0,
    bodyTimeout: within ?? 0,
    ...(keepAlive === undefined ? {} : { keepAliveTimeout: keepAlive, keepAliveMaxTimeout: keepAlive }),
  };
  if (proxy === undefined)
    return new Agent({ ...pool, connect: { ...tls, ...timeout, ...(lookup === undefined ? {} : { lookup }) } });
  return new ProxyAgent({
    ...pool,
    uri: proxy.url,
    requestTls: { ...tls, ...timeout },
    proxyTls: timeout,
    proxyTunnel: proxy.isTunnel ?? true,
  });
}

/** Each header as one line. */
export function joinHeaders(headers: HttpResponse['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** The body within its limit, which a content-length over it fails at once. */
export async function readBody(
  body: Readable,
  headers: HttpResponse['headers'],
  { maxBytes, whenLarger = 'fail' }: ReadLimits,
): Promise<Buffer> {
  const mayCut = whenLarger === 'cut';
  const chunks: Buffer[] = [];
  let bytes = !mayCut && Number(headers['content-length'] ?? 0) > maxBytes ? maxBytes + 1 : 0;
  if (bytes === 0)
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) break;
    }
  if (bytes <= maxBytes) return Buffer.concat(chunks);
  body.on('error', () => undefined).destroy();
  if (!mayCut) throw new ResponseTooLarge(maxBytes);
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
