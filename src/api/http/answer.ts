import type { ServerResponse } from 'node:http';

/** What a handler gives back. */
export type Answer =
  | { readonly kind: 'json'; readonly value: unknown; readonly status?: number; readonly headers?: Headers }
  /** Bytes that are ready, such as JSON that was written before. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer | string; readonly type: string; readonly status?: number; readonly headers?: Headers }
  /** Objects as they come, until the feed ends or the client goes. */
  | { readonly kind: 'stream'; readonly feed: Feed; readonly headers?: Headers }
  /** The handler writes by itself, until it is done or the signal aborts. */
  | { readonly kind: 'raw'; readonly write: (response: ServerResponse, signal: AbortSignal) => Promise<void> | void };

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Sends one message and tells whether the client takes more now; `drained` resolves when it does again. */
export interface Outlet {
  /** A JSON text: it goes out as `{"result":TEXT}`. */
  send(text: string): boolean;
  drained(): Promise<void>;
  readonly signal: AbortSignal;
}

/** Writes to the outlet until it is done. It never keeps more than it must for a client that is slow. */
export type Feed = (outlet: Outlet) => Promise<void>;

export function json(value: unknown, options: { readonly status?: number; readonly headers?: Headers } = {}): Answer {
  return { kind: 'json', value, ...options };
}

export function jsonText(text: string | Buffer): Answer {
  return { kind: 'bytes', bytes: text, type: 'application/json' };
}

export function stream(feed: Feed): Answer {
  return { kind: 'stream', feed };
}
