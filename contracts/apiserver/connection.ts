import { readFileSync } from 'node:fs';
import { Agent, type Dispatcher } from 'undici';
import { parse } from 'yaml';
import { parseJson, type Json } from '../../src/model/json/index.js';

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | undefined;
}

/** A watch that stays open until `close`. */
export interface Stream {
  readonly code: number;
  /** The next event, or nothing when the server has ended the stream. */
  next(): Promise<Json | undefined>;
  close(): void;
}

/** Longer than any server may think about a request, shorter than a test may take: a hang is reported with its step. */
const ANSWER_WITHIN = 15_000;

/**
 * Plain HTTP to one server, exactly as a case writes it: no retries, no redirects, no added headers but the two named
 * here.
 */
export class Connection {
  readonly host: string;
  readonly #agent: Agent;
  /** Without the client certificate, for requests that bring credentials of their own or none. */
  readonly #bare: Agent;
  readonly #authorization: string | undefined;
  readonly #within: number;

  /** `within`: milliseconds for a connection and for each part of an answer. */
  constructor(kubeconfigPath: string, within = ANSWER_WITHIN) {
    const { url, ca, token, cert, key } = readKubeconfig(kubeconfigPath);
    this.host = new URL(url).host;
    this.#authorization = token === undefined ? undefined : `Bearer ${token}`;
    this.#agent = new Agent({
      connect: { ca, timeout: within, ...(cert === undefined || key === undefined ? {} : { cert, key }) },
      headersTimeout: within,
      bodyTimeout: 0,
    });
    this.#bare = new Agent({ connect: { ca, timeout: within }, headersTimeout: within, bodyTimeout: 0 });
    this.#within = within;
  }

  async send(call: Call): Promise<Answer> {
    const response = await this.#request(call, { bodyTimeout: this.#within });
    return { code: response.statusCode, headers: response.headers, text: await response.body.text() };
  }

  /** Opens a watch; where the server refuses it, its answer instead. */
  async watch(call: Call): Promise<Stream | Answer> {
    const response = await this.#request(call);
    if (response.statusCode !== 200)
      return { code: response.statusCode, headers: response.headers, text: await response.body.text() };
    const { body } = response;
    body.on('error', () => {
      /* our own close; a server that cuts the stream shows as its end */
    });
    const lines = readLines(body);
    return {
      code: 200,
      next: async () => {
        const line = await lines.next();
        return line.done === true ? undefined : parseJson(line.value);
      },
      close: () => {
        body.destroy();
      },
    };
  }

  async close(): Promise<void> {
    await this.#bare.destroy();
    await this.#agent.destroy();
  }

  #request(
    { method, path, headers, body }: Call,
    limits: { bodyTimeout?: number } = {},
  ): Promise<Dispatcher.ResponseData> {
    const known = Object.keys(headers).map((name) => name.toLowerCase());
    return (known.includes('authorization') ? this.#bare : this.#agent).request({
      origin: `https://${this.host}`,
      path,
      method,
      ...limits,
      headers: {
        // The server takes the field manager from it where a request names none.
        ...(known.includes('user-agent') ? {} : { 'user-agent': 'contract/1.0' }),
        ...(this.#authorization === undefined || known.includes('authorization')
          ? {}
          : { authorization: this.#authorization }),
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '<none>')),
      },
      ...(body === undefined ? {} : { body }),
    });
  }
}

async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((part) => part !== '');
  }
  if (rest !== '') yield rest;
}

interface KubeconfigFile {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly {
    readonly user: {
      readonly token?: string;
      readonly 'client-certificate-data'?: string;
      readonly 'client-key-data'?: string;
    };
  }[];
}

/** The first cluster and the first user of a file. */
export function readKubeconfig(path: string): {
  readonly url: string;
  readonly ca: string;
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
} {
  const file = parse(readFileSync(path, 'utf8')) as KubeconfigFile;
  const cluster = file.clusters[0]?.cluster;
  const user = file.users[0]?.user;
  if (cluster === undefined || user === undefined) throw new Error(`${path} names no cluster or no user`);
  const decode = (text: string): string => Buffer.from(text, 'base64').toString();
  const { token, 'client-certificate-data': cert, 'client-key-data': key } = user;
  return {
    url: cluster.server,
    ca: decode(cluster['certificate-authority-data']),
    ...(token === undefined ? {} : { token }),
    ...(cert === undefined || key === undefined ? {} : { cert: decode(cert), key: decode(key) }),
  };
}
