import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

export interface RawRequest {
  readonly method: Dispatcher.HttpMethod;
  /** Below the server's address, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface RawResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}
