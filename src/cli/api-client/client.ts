import { Agent } from 'undici';
import { Fault } from '../../model/faults/index.js';
import { isObject, own, parseJson, type Json, type JsonObject } from '../../model/json/index.js';

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
  readonly #agent: Agent;

  constructor(server: ApiServer) {
    this.#server = server;
    this.#agent = new Agent({
      headersTimeout: TIMEOUT,
      bodyTimeout: TIMEOUT,
      connect: { timeout: TIMEOUT, rejectUnauthorized: !server.isInsecure },
    });
  }

  get(path: string): Promise<JsonObject> {
    return this.#call('GET', path);
  }

  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: JsonObject): Promise<JsonObject> {
    return this.#call(method, path, body);
  }

  async close(): Promise<void> {
    await this.#agent.close();
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
      const answer = await this.#agent.request({
        origin,
        path: `${pathname.replace(/(?<!\/)\/+$/, '')}${path}`,
        method,
        headers,
        signal: AbortSignal.timeout(TIMEOUT),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      [status, text] = [answer.statusCode, await readText(answer.body as AsyncIterable<Buffer>)];
    } catch (error) {
      throw new Fault('API_UNREACHABLE', `no answer from ${this.#server.server}${codeOf(error)}`, {
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
      : `the server answered ${status}${value === undefined ? ', and no JSON: is it a server of Argo CD?' : ''}`;
  return new Fault(status === 401 ? 'LOGIN_NEEDED' : 'API_REFUSED', message, { where });
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseResponse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // A page of something that stands between.
    return undefined;
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const hint =
    typeof code === 'string' && /SELF_SIGNED|UNABLE_TO_VERIFY|CERT_|ERR_TLS/.test(code)
      ? '; its certificate is not trusted, --insecure accepts it'
      : '';
  return typeof code === 'string' ? ` (${code})${hint}` : '';
}
