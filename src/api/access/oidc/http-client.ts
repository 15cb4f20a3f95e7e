import { Fault } from '../../../model/faults/index.js';
import { isObject, parseJson, writeJson, type JsonObject } from '../../../model/json/index.js';
import { errorCode, HttpClient, ResponseTooLarge, splitUrl } from '../../../net/http/index.js';

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
  readonly #client: HttpClient;

  constructor(rootCA: string) {
    this.#client = new HttpClient({
      within: TIMEOUT,
      connectWithin: TIMEOUT,
      ...(rootCA === '' ? {} : { tls: { ca: rootCA } }),
    });
  }

  async get(url: string): Promise<OidcResponse> {
    const { status, text } = await this.#send(url, { method: 'GET', headers: { accept: 'application/json' } });
    return { status, body: readObject(text) };
  }

  /**
   * The same for a library that speaks the protocol. Whatever type an answer claims, it is JSON or empty; but for a
   * signed one.
   */
  async fetch(
    url: string,
    {
      method,
      headers,
      body,
    }: {
      readonly method: 'GET' | 'POST';
      readonly headers: Record<string, string>;
      readonly body?: URLSearchParams | null | undefined;
    },
  ): Promise<Response> {
    const response = await this.#send(url, { method, headers, ...(body ? { body: body.toString() } : {}) });
    const isSigned = /^application\/jwt\b/i.test(response.type);
    const text = isSigned ? response.text : writeJson(readObject(response.text));
    // Answers without a body have none, and what is no status of HTTP is a failure of the provider.
    const status = response.status >= 200 && response.status <= 599 ? response.status : 502;
    return new Response([204, 205, 304].includes(status) ? null : text, {
      status,
      headers: { 'content-type': isSigned ? 'application/jwt' : 'application/json' },
    });
  }

  async close(): Promise<void> {
    await this.#client.destroy();
  }

  async #send(
    url: string,
    options: { readonly method: 'GET' | 'POST'; readonly headers: Record<string, string>; readonly body?: string },
  ): Promise<{ readonly status: number; readonly type: string; readonly text: string }> {
    try {
      const request = { ...splitUrl(url), ...options };
      const { status, headers, body } = await this.#client.exchange(request, { maxBytes: MAX_BYTES });
      return { status, type: headers['content-type'] ?? '', text: body.toString() };
    } catch (error) {
      const message =
        error instanceof ResponseTooLarge
          ? `the provider answered with more than ${MAX_BYTES} bytes`
          : `the provider cannot be reached${reasonOf(error)}`;
      throw new Fault('SSO_UNREACHABLE', message, { where: maskedAddress(url), cause: error });
    }
  }
}

function readObject(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    // For example a page of a proxy: the status is more useful.
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

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined && /^[A-Z_]{3,50}$/.test(code)) return ` (${code})`;
  return error instanceof Error && error.name === 'TimeoutError' ? ` within ${TIMEOUT / 1000} s` : '';
}
