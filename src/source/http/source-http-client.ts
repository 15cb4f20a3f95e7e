import { gunzipSync } from 'node:zlib';
import { Fault } from '../../model/faults/index.js';
import {
  errorCode,
  HttpClient,
  joinHeaders,
  REDIRECTS,
  readBody,
  ResponseTooLarge,
  type ClientTls,
  type WholeResponse,
} from '../../net/http/index.js';
import { proxyFor, fingerprint, scrubFor, type RepositoryAccess } from '../access/index.js';
import { hasControl, maskUrl, type SourceDependencies, sizeText } from '../common/index.js';
import { checkAddressScope, guardedLookup, FORBIDDEN_SCOPE, addressScopeOf } from './address-scope.js';

export interface SourceRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly access: RepositoryAccess;
  /** What identifies us; sent to `owner` only. */
  readonly authorization?: string;
  /**
   * The address whose server the authorization, the client certificate and the trust belong to; `url` where it is left
   * out.
   */
  readonly owner?: string;
  /** Sends the authorization wherever the chart's index leads. Redirects never get it. */
  readonly passCredentials?: boolean;
  /** Whether a redirect to another server is refused. */
  readonly staysOnServer?: boolean;
  /** The address stands in a repository, so it may not be on this machine. */
  readonly isForeign?: boolean;
  /** The most bytes of an answer. */
  readonly maxBytes: number;
  /** Said in a fault: `the index`. */
  readonly what: string;
}

const MAX_REDIRECTS = 5;
const USER_AGENT = 'argosy';

/** What a server may be told, and where it may be. */
interface Trust {
  readonly isOwner: boolean;
  readonly mayBeMachine: boolean;
  readonly authorization: string | undefined;
}

/** HTTP with bounds: time, bytes, redirects. Credentials stay with the server that they are for. */
export class SourceHttpClient {
  readonly #dependencies: SourceDependencies;
  readonly #milliseconds: number;
  readonly #clients = new Map<string, HttpClient>();

  constructor(world: SourceDependencies, milliseconds: number) {
    this.#dependencies = world;
    this.#milliseconds = milliseconds;
  }

  /** The answer, whatever its status below 500; no answer, 5xx and too much are faults. */
  async send(wanted: SourceRequest): Promise<WholeResponse> {
    const scrub = scrubFor(wanted.access, wanted.authorization?.split(' ')[1]);
    const abort = new AbortController();
    const cancel = this.#dependencies.clock.after(this.#milliseconds, () => {
      abort.abort();
    });
    try {
      return await this.#follow(wanted, abort);
    } catch (error) {
      if (error instanceof Fault) throw error;
      const where = maskUrl(wanted.url);
      if (abort.signal.aborted)
        throw new Fault(
          'SOURCE_UNREACHABLE',
          `${wanted.what} was not there after ${Math.round(this.#milliseconds / 1000)} s`,
          { where },
        );
      throw connectionFault(error, scrub, where);
    } finally {
      cancel();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.destroy()));
    this.#clients.clear();
  }

  async #follow(wanted: SourceRequest, abort: AbortController): Promise<WholeResponse> {
    const { origin: owner, host } = checkUrl(wanted.owner ?? wanted.url);
    const mayBeMachine = wanted.isForeign !== true && addressScopeOf(host) === 'machine';
    let url = checkUrl(wanted.url);
    let mayPass = wanted.passCredentials === true;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const isOwner = url.origin === owner;
      checkAddressScope(url, mayBeMachine);
      const answer = await this.#once(
        url,
        wanted,
        {
          isOwner,
          mayBeMachine: mayBeMachine || (isOwner && wanted.isForeign !== true),
          authorization: isOwner || mayPass ? wanted.authorization : undefined,
        },
        abort,
      );
      const location = answer.headers['location'];
      if (!REDIRECTS.includes(answer.status) || location === undefined) return answer;
      const next = checkUrl(location, url);
      if (url.protocol === 'https:' && next.protocol === 'http:')
        throw new Fault('SOURCE_REFUSED', 'the server leads from https to http', { where: maskUrl(wanted.url) });
      if (wanted.staysOnServer === true && next.origin !== url.origin)
        throw new Fault('SOURCE_REFUSED', 'the server leads to another one', { where: maskUrl(wanted.url) });
      url = next;
      mayPass = false;
    }
    throw new Fault('SOURCE_REFUSED', 'the server leads round in circles', { where: maskUrl(wanted.url) });
  }

  async #once(url: URL, wanted: SourceRequest, trust: Trust, abort: AbortController): Promise<WholeResponse> {
    const response = await this.#client(url, wanted.access, trust).send({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: wanted.method ?? 'GET',
      signal: abort.signal,
      headers: {
        'user-agent': USER_AGENT,
        ...wanted.headers,
        ...(trust.authorization === undefined ? {} : { authorization: trust.authorization }),
      },
    });
    if (response.statusCode >= 500 || response.statusCode === 429) {
      response.body.on('error', () => undefined).destroy();
      throw new Fault('SOURCE_UNREACHABLE', `the server answers ${response.statusCode} for ${wanted.what}`, {
        where: maskUrl(url.href),
      });
    }
    const headers = joinHeaders(response.headers);
    try {
      const body = await readBody(response.body, response.headers, { maxBytes: wanted.maxBytes });
      return { status: response.statusCode, headers, body: unpack(body, headers, wanted) };
    } catch (error) {
      throw error instanceof ResponseTooLarge ? tooLarge(wanted) : error;
    }
  }

  #client(url: URL, access: RepositoryAccess, { isOwner, mayBeMachine }: Trust): HttpClient {
    const proxy = proxyFor(url.href, access, this.#dependencies.environment);
    const key = `${isOwner ? fingerprint(access) : ''} ${proxy ?? ''} ${url.protocol} ${mayBeMachine}`;
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = new HttpClient({
      tls: isOwner ? tlsOf(access) : {},
      lookup: guardedLookup(mayBeMachine, this.#dependencies.lookup),
      proxy: proxy === undefined ? undefined : { url: proxy, isTunnel: url.protocol === 'https:' },
    });
    this.#clients.set(key, client);
    return client;
  }
}

function tlsOf({ certificateAuthority: ca, clientCertificate, insecure }: RepositoryAccess): ClientTls {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(clientCertificate === undefined ? {} : { cert: clientCertificate.certificate, key: clientCertificate.key }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  };
}

function unpack(body: Buffer, headers: WholeResponse['headers'], wanted: SourceRequest): Buffer {
  if (headers['content-encoding'] !== 'gzip') return body;
  try {
    return gunzipSync(body, { maxOutputLength: wanted.maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(wanted);
    throw new Fault('SOURCE_INVALID', `${wanted.what} cannot be unpacked`, { where: maskUrl(wanted.url) });
  }
}

function tooLarge({ maxBytes, what, url }: SourceRequest): Fault {
  return new Fault('SOURCE_TOO_LARGE', `${what} has more than ${sizeText(maxBytes)}`, { where: maskUrl(url) });
}

function checkUrl(text: string, base?: URL): URL {
  const url = hasControl(text) || !URL.canParse(text, base?.href) ? undefined : new URL(text, base);
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Fault('SOURCE_INVALID', 'the address is not an http or https address', { where: maskUrl(text) });
  // They travel as a header, and only to their own server.
  url.username = '';
  url.password = '';
  return url;
}

function connectionFault(error: unknown, scrub: (text: string) => string, where: string): Fault {
  const message = error instanceof Error ? error.message : 'unknown';
  const code = errorCode(error) ?? '';
  const said = scrub([code, message].filter((text) => text !== '').join(': ')).slice(0, 300);
  if (code === FORBIDDEN_SCOPE) return new Fault('SOURCE_REFUSED', message, { where });
  const isTrust = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_SSL|ERR_TLS|ERR_OSSL|PEM/i.test(code);
  if (isTrust)
    return new Fault('SOURCE_REFUSED', `the server and this program do not trust each other's certificates (${said})`, {
      where,
    });
  return new Fault('SOURCE_UNREACHABLE', `no answer from the server (${said})`, { where });
}

/** `Basic ...`, or undefined where there is neither user nor password. */
export function basicAuthorization({ username, password }: RepositoryAccess): string | undefined {
  if (username === undefined && password === undefined) return undefined;
  return `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`;
}
