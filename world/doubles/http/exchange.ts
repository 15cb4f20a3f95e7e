import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isObject, parseJson, writeJson, type Json, type JsonObject } from '../../../src/model/json/index.js';

/** Nothing that a client sends to these servers is larger. */
const MAX_BYTES = 8 << 20;

/** One request and its answer. */
export class Exchange {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    const url = new URL(request.url ?? '/', 'http://double');
    this.method = request.method ?? 'GET';
    this.path = decoded(url.pathname);
    this.query = url.searchParams;
  }

  header(name: string): string {
    const value = this.request.headers[name];
    return typeof value === 'string' ? value : '';
  }

  /** User and password of basic authentication. */
  get basic(): { readonly name: string; readonly password: string } | undefined {
    const [, encoded] = /^Basic\s+(\S.*)$/i.exec(this.header('authorization')) ?? [];
    const [, name, password] =
      encoded === undefined ? [] : (/^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []);
    return name === undefined || password === undefined ? undefined : { name, password };
  }

  get bearer(): string | undefined {
    return /^Bearer\s+(\S+)$/i.exec(this.header('authorization'))?.[1];
  }

  async body(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error(`the request is larger than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** The object that was sent; an empty one for an empty body, undefined for anything else. */
  async json(): Promise<JsonObject | undefined> {
    const text = (await this.body()).toString();
    if (text.trim() === '') return {};
    try {
      const value = parseJson(text);
      return isObject(value) ? value : undefined;
    } catch {
      // Every server here answers a broken body with a status of its own.
      return undefined;
    }
  }

  async form(): Promise<URLSearchParams> {
    return new URLSearchParams((await this.body()).toString());
  }

  send(status: number, body?: Json, headers: OutgoingHttpHeaders = {}): void {
    const text = body === undefined ? '' : `${writeJson(body)}\n`;
    this.response.writeHead(status, {
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    });
    this.response.end(this.method === 'HEAD' ? '' : text);
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A path with a broken escape names nothing.
    return path;
  }
}
