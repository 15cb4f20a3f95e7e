import { Fault } from '../../model/faults/index.js';
import { isObject, own, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import { errorCode, HttpClient } from '../../net/http/index.js';

export interface ApiServer {
  /** Such as `https://argocd.example.com`. */
  readonly server: string;
  readonly isInsecure: boolean;
  readonly token?: string;
}

const TIMEOUT = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Asks a server of Argosy or of Argo CD, over its REST API. */
export class ApiClient {
  readonly #server: ApiServer;
  readonly #client: HttpClient;

  constructor(server: ApiServer) {
    this.#server = server;
    this.#client = new HttpClient({
      within: TIMEOUT,
      connectWithin: TIMEOUT,
      tls: { rejectUnauthorized: !server.isInsecure },
    });
  }

  get(path: string): Promise<JsonObject> {
    return this.#call('GET', path);
  }

  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: JsonObject): Promise<JsonObject> {
    return this.#call(method, path, body);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: JsonObject): Promise<JsonObject> {
    const { origin, pathname } = new URL(this.#server.server);
    const where = `${this.#server.server}${path.split('?')[0] ?? ''}`;
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(this.#server.token === undefined ? {} : { authorization: `Bearer ${this.#server.token}` }),
    };
    let status: number;
    let text: string;
    try {
      const response = await this.#client.exchange(
        {
          origin,
          path: `${pathname.replace(/(?<!\/)\/+$/, '')}${path}`,
          method,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        { maxBytes: MAX_BYTES },
      );
      [status, text] = [response.status, response.body.toString()];
    } catch (error) {
      throw new Fault('API_UNREACHABLE', `no answer from ${this.#server.server}${reasonOf(error)}`, {
        where,
        cause: error,
      });
    }
    const value = parseResponse(text);
    if (status >= 200 && status <= 299 && isObject(value)) return value;
    throw responseFault(status, value, where);
  }
}

function responseFault(status: number, value: Json | undefined, where: string): Fault {
  const said = isObject(value) ? (own(value, 'message') ?? own(value, 'error')) : undefined;
  const message =
    typeof said === 'string' && said !== ''
      ? said
      : `the server returned ${status}${value === undefined ? ', but no JSON: is it an Argo CD server?' : ''}`;
  return new Fault(status === 401 ? 'LOGIN_NEEDED' : 'API_REFUSED', message, { where });
}

function parseResponse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // A page of something that stands between.
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) return '';
  const isTrust = /SELF_SIGNED|UNABLE_TO_VERIFY|CERT_|ERR_TLS/.test(code);
  return ` (${code})${isTrust ? '; its certificate is not trusted, --insecure accepts it' : ''}`;
}
