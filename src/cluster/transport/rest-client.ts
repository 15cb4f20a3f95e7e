import type { Impersonation } from '../config/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, parseJson, type JsonObject } from '../../model/json/index.js';
import { backoff, pause, type ClientDependencies, Limiter } from '../timing/index.js';
import { ClusterError, errorOfStatus, unreachable } from './cluster-error.js';
import type { RawResponse, RawRequest } from './raw-request.js';
import { UpgradeRejected, type WebSocket } from '../../net/web-socket/index.js';
import type { Transport } from './transport.js';

export interface ApiRequest {
  readonly method: RawRequest['method'];
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** Whether doing it twice is as good as once, so that it may be sent again when nobody knows whether it arrived. */
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<RequestLimits>;
}

export interface RequestLimits {
  /** For one attempt, from its start to the last byte. */
  readonly timeout: number;
  /** Attempts in all. */
  readonly tries: number;
  /** No new attempt begins later than this after the first. */
  readonly retryWindow: number;
  /** Largest answer, in bytes. */
  readonly size: number;
}

export const REQUEST_LIMITS: RequestLimits = { timeout: 30_000, tries: 5, retryWindow: 60_000, size: 256 << 20 };
const INITIAL_BACKOFF = 200;
const MAX_BACKOFF = 10_000;
const MAX_ERROR_TEXT = 512;

/** An answer larger than the caller takes; asking for less at a time may help. */
export class ResponseTooLarge extends Fault {
  constructor(where: string, most: number) {
    super('CLUSTER_REFUSED', `the answer is larger than ${most} bytes`, { where });
  }
}

/** Requests with retries, Retry-After, time and size limits, at most so many at a time. */
export class RestClient {
  readonly #limiter: Limiter;
  readonly #warned = new Set<string>();
  /** Requests in a row that got no answer. */
  #unanswered = 0;

  constructor(
    readonly transport: Transport,
    readonly dependencies: ClientDependencies,
    limiter: Limiter,
    /** Whose rights are used, in place of whom the configuration names. */
    readonly user?: Impersonation,
  ) {
    this.#limiter = limiter;
  }

  /** The same connections and the same limit, with the rights of another user. */
  as(user: Impersonation): RestClient {
    return new RestClient(this.transport, this.dependencies, this.#limiter, user);
  }

  /** Ends the connections; one that acts for another user leaves them to the client they belong to. */
  async close(): Promise<void> {
    if (this.user === undefined) await this.transport.close();
  }

  /** The JSON object that the server returns; an error response throws ClusterError. */
  async json(call: ApiRequest): Promise<JsonObject> {
    return this.#retry(call, async (answer, attempt) => {
      const text = await attempt.text(answer.body);
      return parseResponse(text, answer.headers['content-type'], this.transport.host);
    });
  }

  /** The body as text, for what is no JSON. */
  async text(call: ApiRequest): Promise<string> {
    return this.#retry(call, (answer, attempt) => attempt.text(answer.body));
  }

  /** An answer whose body goes on: only the headers are waited for. Counts as nothing in flight. */
  async stream(call: ApiRequest): Promise<RawResponse> {
    return this.#withRenewedCredentials(() => this.#open(call));
  }

  /** A connection for messages in both directions. */
  async socket(path: string, protocols: readonly string[]): Promise<WebSocket> {
    return this.#withRenewedCredentials(async () => {
      try {
        return await this.transport.socket(path, protocols, this.user);
      } catch (error) {
        if (!(error instanceof UpgradeRejected)) throw this.transport.explain(error);
        const attempt = this.#attempt({ method: 'GET', path, isRepeatable: false });
        try {
          throw await attempt.errorOf({
            statusCode: error.response.statusCode ?? 0,
            headers: error.response.headers,
            body: error.response,
          });
        } finally {
          attempt.end();
        }
      }
    });
  }

  /** Credentials that ran out are asked for again, once. */
  async #withRenewedCredentials<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Fault) || !isUnauthorized(error) || !this.transport.credentials.renew()) throw error;
      return act();
    }
  }

  async #open(call: ApiRequest): Promise<RawResponse> {
    const attempt = this.#attempt(call);
    try {
      const answer = await this.transport.send(attempt.raw);
      if (answer.statusCode !== 200) throw await attempt.errorOf(answer);
      attempt.stopClock();
      return answer;
    } catch (error) {
      attempt.end();
      throw attempt.explain(error);
    }
  }

  /** One attempt after the other until one is final. */
  async #retry<T>(call: ApiRequest, read: (answer: RawResponse, attempt: Attempt) => Promise<T>): Promise<T> {
    const { clock, random } = this.dependencies;
    const { tries, retryWindow } = { ...REQUEST_LIMITS, ...call.limits };
    const started = clock.steady();
    let hasRenewed = false;
    for (let tried = 1; ; tried++) {
      try {
        const result = await this.#limiter.run(() => this.#once(call, read));
        this.#noteAnswer();
        return result;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (call.signal?.aborted === true) throw error;
        this.#noteFailure(error);
        if (isUnauthorized(error) && !hasRenewed && this.transport.credentials.renew()) {
          hasRenewed = true;
          continue;
        }
        const asked = retryAfterOf(error);
        const wait = Math.max(backoff(random, tried, INITIAL_BACKOFF, MAX_BACKOFF), asked);
        if (clock.steady() - started + wait > retryWindow) throw error;
        if (tried >= tries || !mayRepeat(error, call.isRepeatable)) {
          // Whoever hears of it may ask again at once; the server wants to be left alone first.
          if (asked > 0) await pause(clock, asked, call.signal);
          throw error;
        }
        await pause(clock, wait, call.signal);
      }
    }
  }

  async #once<T>(call: ApiRequest, read: (answer: RawResponse, attempt: Attempt) => Promise<T>): Promise<T> {
    const attempt = this.#attempt(call);
    try {
      const answer = await this.transport.send(attempt.raw);
      this.#reportWarnings(answer);
      if (answer.statusCode < 200 || answer.statusCode > 299) throw await attempt.errorOf(answer);
      return await read(answer, attempt);
    } catch (error) {
      throw attempt.explain(error);
    } finally {
      attempt.end();
    }
  }

  #attempt(call: ApiRequest): Attempt {
    return new Attempt(this.transport, this.dependencies, call, this.user);
  }

  #reportWarnings(answer: RawResponse): void {
    const { warning } = answer.headers;
    for (const line of typeof warning === 'string' ? [warning] : (warning ?? [])) {
      for (const [, text = ''] of line.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g))
        this.#warn(text.replace(/\\(.)/g, '$1'));
    }
  }

  #noteAnswer(): void {
    if (this.#unanswered >= LOST_AFTER) this.dependencies.report(`${this.transport.host} answers again`, 'info');
    this.#unanswered = 0;
  }

  /** One request without an answer says little; several in a row are reported once. */
  #noteFailure(error: Fault): void {
    if (error.code !== 'CLUSTER_UNREACHABLE') this.#noteAnswer();
    else if (++this.#unanswered === LOST_AFTER)
      this.dependencies.report(`lost the connection to ${this.transport.host}: ${error.message}`);
  }

  /** Each warning once: a controller writes the same objects again and again. */
  #warn(text: string): void {
    if (OUR_FINALIZERS.test(text) || this.#warned.has(text) || this.#warned.size >= MAX_WARNINGS) return;
    this.#warned.add(text);
    this.dependencies.report(`warning of ${this.transport.host}: ${text}`);
  }
}

const LOST_AFTER = 3;
const MAX_WARNINGS = 1000;
/** The names are Argo CD's; the server would like others, and nobody can change them. */
const OUR_FINALIZERS = /^metadata\.finalizers: "[a-z-]+\.argocd\.argoproj\.io"/;

/** One attempt: its own time limit, ended also by the caller's signal. */
class Attempt {
  readonly #controller = new AbortController();
  readonly #limits: RequestLimits;
  readonly #stopClock: () => void;
  #isLate = false;
  readonly #onAbort = (): void => {
    this.#controller.abort();
  };

  constructor(
    readonly transport: Transport,
    dependencies: ClientDependencies,
    readonly call: ApiRequest,
    readonly user: Impersonation | undefined,
  ) {
    this.#limits = { ...REQUEST_LIMITS, ...call.limits };
    this.#stopClock = dependencies.clock.after(this.#limits.timeout, () => {
      this.#isLate = true;
      this.#controller.abort();
    });
    if (call.signal?.aborted === true) this.#controller.abort();
    call.signal?.addEventListener('abort', this.#onAbort);
  }

  get raw(): RawRequest {
    const { method, path, body, contentType, accept } = this.call;
    return {
      method,
      path,
      headers: {
        accept: accept ?? 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
      },
      signal: this.#controller.signal,
      user: this.user,
      ...(body === undefined ? {} : { body }),
    };
  }

  async text(body: AsyncIterable<Buffer>): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > this.#limits.size) throw new ResponseTooLarge(this.#where, this.#limits.size);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  async errorOf(answer: RawResponse): Promise<ClusterError> {
    const text = await this.text(answer.body);
    const retryAfter = Number(answer.headers['retry-after']);
    const seconds = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined;
    const status = statusOf(text);
    if (status !== undefined) return errorOfStatus(status, answer.statusCode, this.#where, seconds);
    const excerpt = text.slice(0, MAX_ERROR_TEXT).replace(/\s+/g, ' ').trim();
    return new ClusterError(
      {
        status: answer.statusCode,
        reason: '',
        message: `the server answered ${answer.statusCode}${excerpt === '' ? '' : `: ${excerpt}`}`,
        causes: [],
        retryAfterSeconds: seconds,
      },
      this.#where,
    );
  }

  explain(error: unknown): Fault {
    if (this.#isLate)
      return unreachable(this.transport.host, `no complete response within ${this.#limits.timeout / 1000} s`, error);
    return this.transport.explain(error);
  }

  stopClock(): void {
    this.#stopClock();
  }

  end(): void {
    this.#stopClock();
    this.call.signal?.removeEventListener('abort', this.#onAbort);
  }

  get #where(): string {
    return `${this.call.method} ${this.transport.host}${this.call.path.replace(/\?.*/, '')}`;
  }
}

/** What a good answer says. A page of HTML with status 200 is what login pages and proxies give. */
export function parseResponse(text: string, contentType: string | string[] | undefined, host: string): JsonObject {
  const value = isJson(contentType) ? tryParse(text) : undefined;
  if (!isObject(value))
    throw unreachable(
      host,
      `the answer is no Kubernetes object (${String(contentType ?? 'no content type')}): is a proxy or a ` +
        'login page in between?',
    );
  return value;
}

export function isJson(contentType: string | string[] | undefined): boolean {
  return typeof contentType === 'string' && /^application\/(\S+\+)?json\b/.test(contentType);
}

function statusOf(text: string): JsonObject | undefined {
  const value = tryParse(text);
  return isObject(value) && value.kind === 'Status' ? value : undefined;
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function isUnauthorized(error: Fault): boolean {
  return error instanceof ClusterError && error.status === 401;
}

/** A server that turned us away unheard has done nothing; otherwise only what may be done twice is sent again. */
function mayRepeat(error: Fault, isRepeatable: boolean): boolean {
  if (error.code === 'CLUSTER_UNREACHABLE') return isRepeatable;
  if (!(error instanceof ClusterError) || error.isVersionTooLarge) return false;
  const wasNotDone = error.status === 429 || (error.status === 503 && error.retryAfterSeconds !== undefined);
  return wasNotDone || (isRepeatable && error.status >= 500 && error.status !== 501);
}

export function retryAfterOf(error: Fault): number {
  return error instanceof ClusterError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
}
