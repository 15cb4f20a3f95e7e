import type { ServerResponse } from 'node:http';

/** What a handler gives back. */
export type Answer =
  | { readonly kind: 'json'; readonly value: unknown; readonly status?: number; readonly headers?: Headers }
  /** Bytes that are ready, such as JSON that was written before. */
  | {
      readonly kind: 'bytes';
      readonly bytes: Buffer | string;
      readonly type: string;
      readonly status?: number;
      readonly headers?: Headers;
    }
  /** Objects as they come, until the feed ends or the client goes. */
  | { readonly kind: 'stream'; readonly feed: Feed; readonly headers?: Headers }
  /** Messages in both directions, for as long as `hold` takes. */
  | { readonly kind: 'socket'; readonly hold: (socket: MessageSocket, signal: AbortSignal) => Promise<void> }
  /** The handler writes by itself, until it is done or the signal aborts. */
  | { readonly kind: 'raw'; readonly write: (response: ServerResponse, signal: AbortSignal) => Promise<void> | void };

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A client that exchanges messages with us. */
export interface MessageSocket {
  send(text: string): void;
  /** Whether it has not taken what was sent; `drained` resolves when it has, or is gone. */
  readonly isFull: boolean;
  drained(): Promise<void>;
  /** Each message as it comes; nothing is taken before somebody listens. */
  onMessage(take: (text: string) => void): void;
  /** Says why it is over. */
  close(reason: string): void;
}

/** Sends one message; false if the client's buffer is full, then `drained` resolves when it is not. */
export interface StreamWriter {
  /** A JSON text: it goes out as `{"result":TEXT}`. */
  send(text: string): boolean;
  drained(): Promise<void>;
  readonly signal: AbortSignal;
}

/** Writes to the outlet until it is done. It never keeps more than it must for a client that is slow. */
export type Feed = (outlet: StreamWriter) => Promise<void>;

export function json(value: unknown, options: { readonly status?: number; readonly headers?: Headers } = {}): Answer {
  return { kind: 'json', value, ...options };
}

export function jsonText(text: string | Buffer): Answer {
  return { kind: 'bytes', bytes: text, type: 'application/json' };
}

export function stream(feed: Feed): Answer {
  return { kind: 'stream', feed };
}
