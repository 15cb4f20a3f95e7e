import { Fault } from '../../../model/faults/index.js';
import { isObject, parseJson, type JsonObject } from '../../../model/json/index.js';
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
    await this.#client.destroy();
  }

  async #call(
    url: string,
    options: { readonly method: 'GET' | 'POST'; readonly headers: Record<string, string>; readonly body?: string },
  ): Promise<OidcResponse> {
    try {
      const { status, body } = await this.#client.exchange({ ...splitUrl(url), ...options }, { maxBytes: MAX_BYTES });
      return { status, body: readObject(body.toString()) };
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
