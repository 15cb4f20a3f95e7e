import { Fault } from '../../model/faults/index.js';
import { isObject, parseJson, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ClientDependencies } from '../timing/index.js';
import {
  errorOfStatus,
  unreachable,
  type ClusterError,
  isJson,
  type RestClient,
  type RawResponse,
} from '../transport/index.js';
import { LineSplitter, LineTooLong } from './line-splitter.js';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly isInitialEnd: boolean };

/** How a stream ended where nobody asked for it. */
export type WatchEnd =
  /** The server closed it between two events. */
  | { readonly kind: 'ended' }
  /** The server reported an error in the stream, such as 410. */
  | { readonly kind: 'error'; readonly error: ClusterError }
  /** Not a byte for longer than a living server is silent. */
  | { readonly kind: 'silent' }
  /** The connection broke. */
  | { readonly kind: 'cut'; readonly fault: Fault }
  /** It carried something that is no event, or an event too long. */
  | { readonly kind: 'unreadable'; readonly fault: Fault };

export interface WatchLimits {
  /** Longest silence. kube-apiserver sends a bookmark every minute. */
  readonly silence: number;
  /** For the headers of the answer. */
  readonly opening: number;
  /** Longest event, in bytes. */
  readonly event: number;
}

export const WATCH_LIMITS: WatchLimits = { silence: 90_000, opening: 30_000, event: 128 << 20 };

export interface WatchHandlers {
  /** The server accepted the watch. */
  opened?(): void;
  /** Bytes came in. */
  received?(): void;
  event(event: WatchEvent): void;
}

/** Opens a watch and feeds its events, in order, until it ends. A server that refuses to open it throws. */
export async function followWatch(
  requester: RestClient,
  path: string,
  handlers: WatchHandlers,
  signal: AbortSignal,
  limits: Partial<WatchLimits> = {},
): Promise<WatchEnd> {
  const { silence, opening, event } = { ...WATCH_LIMITS, ...limits };
  const host = requester.transport.host;
  const answer = await requester.stream({
    method: 'GET',
    path,
    isRepeatable: true,
    signal,
    limits: { timeout: opening },
  });
  const type = answer.headers['content-type'];
  if (!isJson(type)) {
    answer.body
      .on('error', () => {
        /* our own ending of a page that nobody reads */
      })
      .destroy();
    throw unreachable(
      host,
      `the watch was answered with ${String(type ?? 'no content type')}: is a proxy or a login page in between?`,
    );
  }
  handlers.opened?.();
  return read(answer, handlers, new LineSplitter(event), { silence, dependencies: requester.dependencies, host });
}

async function read(
  answer: RawResponse,
  handlers: WatchHandlers,
  splitter: LineSplitter,
  { silence, dependencies: dependencies, host }: { silence: number; dependencies: ClientDependencies; host: string },
): Promise<WatchEnd> {
  const listener = new IdleTimer(dependencies, silence, () => {
    answer.body.destroy(new IdleTimeout());
  });
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      listener.reset();
      handlers.received?.();
      for (const line of splitter.push(chunk)) {
        const event = parseEvent(line, host);
        if (event.type === 'ERROR') return { kind: 'error', error: event.error };
        handlers.event(event);
      }
    }
    return splitter.isInLine
      ? { kind: 'cut', fault: unreachable(host, 'the watch ended inside an event') }
      : { kind: 'ended' };
  } catch (error) {
    if (error instanceof IdleTimeout) return { kind: 'silent' };
    if (error instanceof LineTooLong) return { kind: 'unreadable', fault: unreachable(host, error.message, error) };
    if (error instanceof Fault) return { kind: 'unreadable', fault: error };
    return {
      kind: 'cut',
      fault: unreachable(host, `the watch was cut: ${error instanceof Error ? error.message : String(error)}`, error),
    };
  } finally {
    listener.stop();
    answer.body
      .on('error', () => {
        /* reported above, or closed by us */
      })
      .destroy();
  }
}

function parseEvent(line: string, host: string): WatchEvent | { readonly type: 'ERROR'; readonly error: ClusterError } {
  const value = tryParse(line);
  const object = value !== undefined && isObject(value.object) ? value.object : undefined;
  if (value === undefined || object === undefined)
    throw unreachable(host, 'the watch sent something that is not an event');
  const { type } = value;
  if (type === 'ERROR') return { type, error: errorOfStatus(object, 500, `watch of ${host}`) };
  const metadata = isObject(object.metadata) ? object.metadata : {};
  if (type === 'BOOKMARK' && typeof metadata.resourceVersion === 'string') {
    const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
    return {
      type,
      resourceVersion: metadata.resourceVersion,
      isInitialEnd: annotations['k8s.io/initial-events-end'] === 'true',
    };
  }
  const isKnown = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
  if (!isKnown || typeof metadata.name !== 'string' || typeof metadata.resourceVersion !== 'string')
    throw unreachable(host, `the watch sent an event of an unknown type (${String(type)})`);
  return { type, object: object as KubeObject };
}

function tryParse(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

class IdleTimeout extends Error {}

/** Calls back once nothing was heard for a while. One timer for any number of chunks. */
class IdleTimer {
  #last: number;
  #cancel: () => void;

  constructor(
    readonly dependencies: ClientDependencies,
    readonly silence: number,
    readonly onIdle: () => void,
  ) {
    this.#last = dependencies.clock.steady();
    this.#cancel = dependencies.clock.after(silence, this.#check);
  }

  reset(): void {
    this.#last = this.dependencies.clock.steady();
  }

  stop(): void {
    this.#cancel();
  }

  readonly #check = (): void => {
    const left = this.#last + this.silence - this.dependencies.clock.steady();
    if (left <= 0) this.onIdle();
    else this.#cancel = this.dependencies.clock.after(left, this.#check);
  };
}
