import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { readMessage } from '../../src/api/rpc/read-message.js';
import { serviceRows } from '../../src/api/rpc/table.js';
import { writeMessage } from '../../src/api/rpc/write-message.js';
import type { JsonObject } from '../../src/model/json/index.js';

/** How a call ended, and what came before that. */
export interface RpcResult {
  readonly code: number;
  readonly message: string;
  readonly messages: readonly JsonObject[];
}

export interface RpcOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The frames as they are sent, instead of those of the message. */
  readonly frames?: Buffer;
  /** Ends a stream after as many messages. */
  readonly take?: number;
}

/** A client of Argo CD's services; `method` is such as `version.VersionService/Version`. */
export interface RpcClient {
  call(method: string, message?: JsonObject, options?: RpcOptions): Promise<RpcResult>;
  close(): void;
}

export function frameOf(content: Buffer, flag = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

function rowOf(method: string): { readonly in: string; readonly out: string } {
  const [service = '', name = ''] = method.split('/');
  const row = serviceRows()[service]?.[name];
  if (row === undefined) throw new Error(`there is no method ${method}`);
  return row;
}

/** Frames as they come in, in whatever pieces. */
class FrameReader {
  readonly messages: Buffer[] = [];
  end: Buffer | undefined;
  #rest = Buffer.alloc(0);

  add(piece: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, piece]);
    for (;;) {
      const length = this.#rest.length < 5 ? Infinity : this.#rest.readUInt32BE(1) + 5;
      if (this.#rest.length < length) return;
      const content = this.#rest.subarray(5, length);
      if (this.#rest[0] === 0x80) this.end = content;
      else this.messages.push(content);
      this.#rest = this.#rest.subarray(length);
    }
  }
}

function authorization({ token = '', headers = {} }: RpcOptions): Record<string, string> {
  // As Argo CD's own clients send it.
  return { ...headers, ...(token === '' ? {} : { token }) };
}

/** gRPC-Web over HTTP/1.1. */
export function webClient(url: string): RpcClient {
  return {
    close: () => undefined,
    call: async (method, message = {}, options = {}) => {
      const row = rowOf(method);
      const gone = new AbortController();
      const answer = await fetch(`${url}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/grpc-web+proto', ...authorization(options) },
        body: new Uint8Array(options.frames ?? frameOf(writeMessage(message, row.in))),
        signal: gone.signal,
      });
      const frames = new FrameReader();
      const taken = (): boolean => frames.messages.length >= (options.take ?? Infinity);
      for await (const piece of answer.body ?? []) {
        frames.add(Buffer.from(piece as Uint8Array));
        if (taken()) break;
      }
      gone.abort();
      const trailers = new Headers(
        (frames.end?.toString() ?? '')
          .split('\r\n')
          .filter((line) => line !== '')
          .map((line): [string, string] => [
            line.slice(0, line.indexOf(':')),
            line.slice(line.indexOf(':') + 1).trim(),
          ]),
      );
      const say = (name: string): string => answer.headers.get(name) ?? trailers.get(name) ?? '';
      return result(say('grpc-status') || (taken() ? '0' : ''), say('grpc-message'), frames, row.out);
    },
  };
}

/** gRPC over HTTP/2; over TLS with the certificate of its authority. */
export function nativeClient(url: string, ca?: string): RpcClient {
  const session: ClientHttp2Session = connect(url, ca === undefined ? {} : { ca });
  return {
    close: () => {
      session.destroy();
    },
    call: async (method, message = {}, options = {}) => {
      const row = rowOf(method);
      const stream = session.request({
        ':method': 'POST',
        ':path': `/${method}`,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...authorization(options),
      });
      stream.end(options.frames ?? frameOf(writeMessage(message, row.in)));
      return await nativeResult(stream, row.out, options.take ?? Infinity);
    },
  };
}

function nativeResult(stream: ClientHttp2Stream, type: string, take: number): Promise<RpcResult> {
  const frames = new FrameReader();
  let [code, message] = ['', ''];
  const say = (headers: Readonly<Record<string, unknown>>): void => {
    code = String(headers['grpc-status'] ?? code);
    message = String(headers['grpc-message'] ?? message);
  };
  return new Promise((resolve, reject) => {
    stream.on('response', say);
    stream.on('trailers', say);
    stream.on('error', reject);
    stream.on('data', (piece: Buffer) => {
      frames.add(piece);
      if (frames.messages.length < take) return;
      code = '0';
      stream.close();
    });
    stream.once('close', () => {
      resolve(result(code, message, frames, type));
    });
  });
}

function result(code: string, message: string, frames: FrameReader, type: string): RpcResult {
  return {
    code: code === '' ? -1 : Number(code),
    message: decodeURIComponent(message),
    messages: frames.messages.map((each) => readMessage(each, type)),
  };
}
