import { createSecureContext } from 'node:tls';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { Fault } from '../model/index.js';
import { unreachable } from './cluster-error.js';
import type { ClusterConfig } from './cluster-config.js';
import type { Credentials, TlsMaterial } from './credentials.js';

export interface RawCall {
  readonly method: Dispatcher.HttpMethod;
  /** Below the server's address, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export type RawAnswer = Dispatcher.ResponseData;

const CONNECT_WITHIN = 10_000;
/** Shorter than the idle time after which kube-apiserver closes (90 s), so that we rarely write into a closed socket. */
const KEEP_ALIVE = 30_000;

/** HTTP with keep-alive to one API server. Every failure below HTTP becomes CLUSTER_UNREACHABLE with the host named. */
export class Transport {
  readonly host: string;
  readonly #origin: string;
  readonly #prefix: string;
  #dispatcher: Dispatcher | undefined;
  #material: TlsMaterial | undefined;
  #isClosed = false;

  constructor(readonly config: ClusterConfig, readonly credentials: Credentials, readonly userAgent: string) {
    const url = new URL(config.server);
    this.host = url.host;
    this.#origin = url.origin;
    this.#prefix = url.pathname === '/' ? '' : url.pathname;
  }

  /** The answer as soon as its headers are there; the caller reads or destroys the body. */
  async send({ method, path, headers, body, signal }: RawCall): Promise<RawAnswer> {
    const dispatcher = this.#current(await this.credentials.tls());
    const auth = await this.credentials.headers();
    if (this.#isClosed) throw unreachable(this.host, 'the connection is closed');
    try {
      return await dispatcher.request({
        origin: this.#origin,
        path: this.#prefix + path,
        method,
        headers: { 'user-agent': this.userAgent, ...headers, ...auth },
        signal,
        // Time limits are the caller's, by its own clock.
        headersTimeout: 0,
        bodyTimeout: 0,
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      throw this.explain(error);
    }
  }

  /** A failure below HTTP in words; faults pass as they are. */
  explain(error: unknown): Fault {
    if (error instanceof Fault) return error;
    const inner = error instanceof AggregateError && error.errors.length > 0 ? (error.errors as unknown[])[0] : error;
    const code = inner instanceof Error && 'code' in inner ? String(inner.code) : '';
    const message = inner instanceof Error ? inner.message : String(inner);
    return unreachable(this.host, REASONS[code] ?? (isCertificateFault(code) ? `its certificate is not trusted: ${message}` : `no answer: ${message}`), error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#dispatcher?.destroy();
  }

  /** One set of connections for one set of certificates; a new set replaces it and lets running requests end. */
  #current(material: TlsMaterial): Dispatcher {
    const known = this.#material;
    const isSame = known?.authority === material.authority && known?.certificate === material.certificate && known?.key === material.key;
    if (this.#dispatcher !== undefined && isSame) return this.#dispatcher;
    void this.#dispatcher?.close();
    this.#material = material;
    this.#dispatcher = open(this.config, material);
    return this.#dispatcher;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be made in time',
  UND_ERR_SOCKET: 'the connection was closed before the answer',
  UND_ERR_DESTROYED: 'the connection is closed',
  UND_ERR_CLOSED: 'the connection is closed',
};

function isCertificateFault(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
}

function open(config: ClusterConfig, material: TlsMaterial): Dispatcher {
  // Made once: reading the certificates anew for each of a hundred connections takes longer than everything else about them.
  const secureContext = createSecureContext({
    ...(material.authority === undefined ? {} : { ca: material.authority }),
    ...(material.certificate === undefined || material.key === undefined ? {} : { cert: material.certificate, key: material.key }),
  });
  const tls = {
    secureContext,
    rejectUnauthorized: !config.skipTlsVerify,
    timeout: CONNECT_WITHIN,
    keepAlive: true,
    ...(config.tlsServerName === undefined ? {} : { servername: config.tlsServerName }),
  };
  const pool = { keepAliveTimeout: KEEP_ALIVE, keepAliveMaxTimeout: KEEP_ALIVE, pipelining: 1 };
  if (config.proxyUrl === undefined) return new Agent({ ...pool, connect: tls });
  return new ProxyAgent({ ...pool, uri: config.proxyUrl, requestTls: tls, proxyTls: { timeout: CONNECT_WITHIN } });
}
