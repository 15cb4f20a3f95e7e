import { Agent } from 'undici';
import { Fault } from '../../../model/faults/index.js';
import { isObject, parseJson, type JsonObject } from '../../../model/json/index.js';

const TIMEOUT = 10_000;
const MAX_BYTES = 1024 * 1024;

export interface OidcResponse {
  readonly status: number;
  readonly body: JsonObject;
}

/**
 * Talks to one provider: over TLS that is checked, or to this machine; within bounds of time and bytes; wherever it
 * redirects to, nobody goes.
 */
export class OidcHttpClient {
  readonly #agent: Agent;

  constructor(rootCA: string) {
    this.#agent = new Agent({
      headersTimeout: TIMEOUT,
      bodyTimeout: TIMEOUT,
      connect: { timeout: TIMEOUT, ...(rootCA === '' ? {} : { ca: rootCA }) },
    });
  }

  get(url: string): Promise<OidcResponse> {
    return this.#call(url, { method: 'GET', headers: { accept: 'application/json' } });
  }

  post(url: string, form: URLSearchParams, headers: Readonly<Record<string, string>>): Promise<OidcResponse> {
    return this.#call(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: form.toString(),
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #call(
    url: string,
    options: { readonly method: 'GET' | 'POST'; readonly headers: Record<string, string>; readonly body?: string },
  ): Promise<OidcResponse> {
    const { origin, pathname, search } = new URL(url);
    try {
      const { statusCode, body } = await this.#agent.request({
        origin,
        path: `${pathname}${search}`,
        signal: AbortSignal.timeout(TIMEOUT),
        ...options,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_BYTES)
          throw new Fault('SSO_UNREACHABLE', `the provider answered with more than ${MAX_BYTES} bytes`, {
            where: maskedAddress(url),
          });
        chunks.push(chunk);
      }
      return { status: statusCode, body: readObject(Buffer.concat(chunks).toString()) };
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw new Fault('SSO_UNREACHABLE', `the provider cannot be reached${codeOf(error)}`, {
        where: maskedAddress(url),
        cause: error,
      });
    }
  }
}

function readObject(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    // A page of a proxy, say: the status tells more.
    return {};
  }
}

/** Without query and user: both may hold secrets. */
function maskedAddress(url: string): string {
  try {
    const { origin, pathname } = new URL(url);
    return `${origin}${pathname}`;
  } catch {
    // Something that is no address is not repeated.
    return 'its discovery document';
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_]{3,50}$/.test(code)
    ? ` (${code})`
    : error instanceof Error && error.name === 'TimeoutError'
      ? ` within ${TIMEOUT / 1000} s`
      : '';
}
