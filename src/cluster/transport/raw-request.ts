import type { Impersonation } from '../config/index.js';
import type { HttpResponse } from '../../net/http/index.js';

export interface RawRequest {
  readonly method: string;
  /** Below the server's address, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Whose rights are used, in place of whom the configuration names. */
  readonly user?: Impersonation | undefined;
}

export type RawResponse = HttpResponse;
