import { gunzipSync } from 'node:zlib';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { Fault } from '../../model/faults/index.js';
import { proxyFor, fingerprint, scrubFor, type RepositoryAccess } from '../access/index.js';
import { hasControl, maskUrl, type SourceDependencies, sizeText } from '../common/index.js';
import { checkAddressScope, guardedLookup, FORBIDDEN_SCOPE, addressScopeOf } from './address-scope.js';

export interface HttpRequest {
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

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const USER_AGENT = 'argosy';

/** What a server may be told, and where it may be. */
interface Trust {
  readonly isOwner: boolean;
  readonly mayBeMachine: boolean;
  readonly authorization: string | undefined;
}

/** HTTP with bounds: time, bytes, redirects. Credentials stay with the server that they are for. */
export class HttpClient {
  readonly #dependencies: SourceDependencies;
  readonly #milliseconds: number;
  readonly #dispatchers = new Map<string, Dispatcher>();

  constructor(world: SourceDependencies, milliseconds: number) {
    this.#dependencies = world;
    this.#milliseconds = milliseconds;
  }

  /** The answer, whatever its status below 500; no answer, 5xx and too much are faults. */
  async send(wanted: HttpRequest): Promise<HttpResponse> {
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
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    this.#dispatchers.clear();
  }

  async #follow(wanted: HttpRequest, abort: AbortController): Promise<HttpResponse> {
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

  async #once(url: URL, wanted: HttpRequest, trust: Trust, abort: AbortController): Promise<HttpResponse> {
    const response = await this.#dispatcher(url, wanted.access, trust).request({
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
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    );
    if (response.statusCode >= 500 || response.statusCode === 429) {
      response.body.on('error', () => undefined).destroy();
      throw new Fault('SOURCE_UNREACHABLE', `the server answers ${response.statusCode} for ${wanted.what}`, {
        where: maskUrl(url.href),
      });
    }
    return { status: response.statusCode, headers, body: await readBody(response.body, headers, wanted) };
  }

  #dispatcher(url: URL, access: RepositoryAccess, { isOwner, mayBeMachine }: Trust): Dispatcher {
    const proxy = proxyFor(url.href, access, this.#dependencies.environment);
    const key = `${isOwner ? fingerprint(access) : ''} ${proxy ?? ''} ${url.protocol} ${mayBeMachine}`;
    const known = this.#dispatchers.get(key);
    if (known !== undefined) return known;
    const { certificateAuthority: ca, clientCertificate, insecure } = access;
    const tls = !isOwner
      ? {}
      : {
          ...(ca === undefined ? {} : { ca }),
          ...(clientCertificate === undefined
            ? {}
            : { cert: clientCertificate.certificate, key: clientCertificate.key }),
          ...(insecure === true ? { rejectUnauthorized: false } : {}),
        };
    const dispatcher =
      proxy === undefined
        ? new Agent({ connect: { ...tls, lookup: guardedLookup(mayBeMachine, this.#dependencies.lookup) } })
        : new ProxyAgent({ uri: proxy, requestTls: tls, proxyTunnel: url.protocol === 'https:' });
    this.#dispatchers.set(key, dispatcher);
    return dispatcher;
  }
}

async function readBody(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  headers: Readonly<Record<string, string>>,
  { maxBytes, what, url }: HttpRequest,
): Promise<Buffer> {
  const tooLarge = (): Fault =>
    new Fault('SOURCE_TOO_LARGE', `${what} has more than ${sizeText(maxBytes)}`, { where: maskUrl(url) });
  const chunks: Buffer[] = [];
  let bytes = Number(headers['content-length'] ?? 0) > maxBytes ? maxBytes + 1 : 0;
  if (bytes === 0) {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  }
  if (bytes > maxBytes) {
    body.destroy();
    throw tooLarge();
  }
  const whole = Buffer.concat(chunks);
  if (headers['content-encoding'] !== 'gzip') return whole;
  try {
    return gunzipSync(whole, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge();
    throw new Fault('SOURCE_INVALID', `${what} cannot be unpacked`, { where: maskUrl(url) });
  }
}

function checkUrl(text: string, base?: URL): URL {
  const url = hasControl(text) || !URL.canParse(text, base?.href) ? undefined : new URL(text, base);
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Fault('SOURCE_INVALID', 'the address is no http or https address', { where: maskUrl(text) });
  // They travel as a header, and only to their own server.
  url.username = '';
  url.password = '';
  return url;
}

function connectionFault(error: unknown, scrub: (text: string) => string, where: string): Fault {
  const { message, code } =
    error instanceof Error
      ? { message: error.message, code: 'code' in error && typeof error.code === 'string' ? error.code : '' }
      : { message: 'unknown', code: '' };
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
