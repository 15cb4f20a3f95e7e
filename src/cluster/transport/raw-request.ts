import type { HttpResponse } from '../../net/http/index.js';

export interface RawRequest {
  readonly method: string;
  /** Below the server's address, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export type RawResponse = HttpResponse;
