import { createSecureContext } from 'node:tls';
import { Fault } from '../../model/faults/index.js';
import { errorCode, HttpClient, type ClientTls } from '../../net/http/index.js';
import { openWebSocket, type WebSocket } from '../../net/web-socket/index.js';
import { unreachable } from './cluster-error.js';
import type { ClusterConfig, Impersonation } from '../config/index.js';
import type { Credentials, TlsMaterial } from './credentials.js';
import { Http2Connections } from './http2-connections.js';
import type { RawResponse, RawRequest } from './raw-request.js';

const CONNECT_WITHIN = 10_000;
/** Of a socket, in bytes. */
const MAX_MESSAGE_BYTES = 4 << 20;
/**
 * Shorter than the idle time after which kube-apiserver closes (90 s), so that we rarely write into a closed socket.
 */
const KEEP_ALIVE = 30_000;

/** The ways to one server with one set of certificates. */
interface Connections {
  /** For servers that speak it, unless a proxy is in between. */
  readonly http2: Http2Connections | undefined;
  readonly http1: HttpClient;
}

/** HTTP to one API server. Every failure below HTTP becomes CLUSTER_UNREACHABLE with the host named. */
export class Transport {
  readonly host: string;
  readonly #url: URL;
  readonly #prefix: string;
  #connections: Connections | undefined;
  #material: TlsMaterial | undefined;
  #isClosed = false;

  constructor(
    readonly config: ClusterConfig,
    readonly credentials: Credentials,
    readonly userAgent: string,
  ) {
    this.#url = new URL(config.server);
    this.host = this.#url.host;
    this.#prefix = this.#url.pathname === '/' ? '' : this.#url.pathname;
  }

  /** The answer as soon as its headers are there; the caller reads or destroys the body. */
  async send(call: RawRequest): Promise<RawResponse> {
    const { http1, http2 } = this.#current(await this.credentials.tls());
    const headers = { 'user-agent': this.userAgent, ...call.headers, ...(await this.credentials.headers(call.user)) };
    if (this.#isClosed) throw unreachable(this.host, 'the connection is closed');
    const { method, body, signal } = call;
    const path = this.#prefix + call.path;
    try {
      const answer = await http2?.send({ ...call, path }, headers);
      if (answer !== undefined) return answer;
      // Time limits are the caller's, by its own clock.
      return await http1.send({ origin: this.#url.origin, path, method, headers, signal, body });
    } catch (error) {
      throw this.explain(error);
    }
  }

  /** A connection for messages in both directions; a rejected upgrade is an UpgradeRejected. */
  async socket(path: string, protocols: readonly string[], user?: Impersonation): Promise<WebSocket> {
    const tls = tlsOptions(this.config, await this.credentials.tls());
    const headers = { 'user-agent': this.userAgent, ...(await this.credentials.headers(user)) };
    if (this.#isClosed) throw unreachable(this.host, 'the connection is closed');
    return openWebSocket({
      url: new URL(`${this.#url.origin}${this.#prefix}${path}`),
      protocols,
      headers,
      tls,
      proxyUrl: this.config.proxyUrl,
      within: CONNECT_WITHIN,
      size: MAX_MESSAGE_BYTES,
    });
  }

  /** A failure below HTTP in words; faults pass as they are. */
  explain(error: unknown): Fault {
    if (error instanceof Fault) return error;
    const inner = error instanceof AggregateError && error.errors.length > 0 ? (error.errors as unknown[])[0] : error;
    const code = errorCode(inner) ?? '';
    const message = inner instanceof Error ? inner.message : String(inner);
    return unreachable(
      this.host,
      REASONS[code] ??
        (isCertificateFault(code) ? `its certificate is not trusted: ${message}` : `no answer: ${message}`),
      error,
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connections?.http2?.destroy();
    await this.#connections?.http1.destroy();
  }

  /** One set of connections for one set of certificates; a new set replaces it and lets running requests end. */
  #current(material: TlsMaterial): Connections {
    const known = this.#material;
    const isSame =
      known?.authority === material.authority &&
      known?.certificate === material.certificate &&
      known?.key === material.key;
    if (this.#connections !== undefined && isSame) return this.#connections;
    this.#connections?.http2?.retire();
    void this.#connections?.http1.close();
    this.#material = material;
    const tls = tlsOptions(this.config, material);
    const isDirect = this.config.proxyUrl === undefined && this.#url.protocol === 'https:';
    this.#connections = {
      http1: new HttpClient({
        tls,
        connectWithin: CONNECT_WITHIN,
        keepAlive: KEEP_ALIVE,
        proxy: this.config.proxyUrl === undefined ? undefined : { url: this.config.proxyUrl },
      }),
      http2: isDirect
        ? new Http2Connections({ url: this.#url, tls, connectWithin: CONNECT_WITHIN, clock: this.credentials.clock })
        : undefined,
    };
    return this.#connections;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be resolved now',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the answer',
  UND_ERR_DESTROYED: 'the connection is closed',
  UND_ERR_CLOSED: 'the connection is closed',
  ERR_HTTP2_GOAWAY_SESSION: 'the server closes the connection',
  ERR_HTTP2_INVALID_SESSION: 'the connection is closed',
  ERR_HTTP2_SESSION_ERROR: 'the connection broke',
  ERR_HTTP2_STREAM_CANCEL: 'the connection was closed before the answer',
  ERR_HTTP2_STREAM_ERROR: 'the connection was closed before the answer',
};

function isCertificateFault(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
}

function tlsOptions(config: ClusterConfig, material: TlsMaterial): ClientTls {
  // Made once: reading the certificates anew for each of a hundred connections takes longer than everything else about
  // them.
  const secureContext = createSecureContext({
    ...(material.authority === undefined ? {} : { ca: material.authority }),
    ...(material.certificate === undefined || material.key === undefined
      ? {}
      : { cert: material.certificate, key: material.key }),
  });
  return {
    secureContext,
    rejectUnauthorized: !config.skipTlsVerify,
    ...(config.tlsServerName === undefined ? {} : { servername: config.tlsServerName }),
  };
}
