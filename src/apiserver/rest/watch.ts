import { expired, type ApiError } from '../errors/index.js';
import type { ResourceType } from '../resources/index.js';
import { RevisionCompacted, type Stored, type StoreEvent } from '../store/index.js';
import { fromStored, prefixOf, type RestContext } from './context.js';
import { selects, type Selection } from './selection.js';

/** What a watcher receives. */
export type WatchEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly stored: Stored;
      readonly revision: number;
      readonly source?: StoreEvent;
    }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly error: ApiError };

export interface WatchOptions {
  /** 0 starts with the current objects as ADDED; any other revision starts behind it. */
  readonly from: number;
  /** Sends the current objects and then a bookmark that says so. */
  readonly sendInitialEvents: boolean;
  /** After current objects, say where they end. */
  readonly markInitialEnd?: boolean;
}

/** Follows a resource. The listener gets events in revision order, from inside this call on. */
export function watch(
  context: RestContext,
  type: ResourceType,
  namespace: string,
  selection: Selection,
  options: WatchOptions,
  listener: (event: WatchEvent) => void,
): { close(): void } {
  const prefix = prefixOf(type, namespace);
  const initial = options.from === 0 || options.sendInitialEvents;
  const from = initial ? context.store.revision : options.from;
  try {
    if (initial) sendCurrent(context, type, prefix, selection, listener);
    if (options.sendInitialEvents || (initial && options.markInitialEnd === true))
      listener({ type: 'BOOKMARK', revision: from, initialEventsEnd: true });
    if (from < context.types.servedSince(type)) throw new RevisionCompacted(from, context.types.servedSince(type));
    return context.store.watch(prefix, from, (event) => {
      const seen = translate(type, selection, event);
      if (seen) listener(seen);
    });
  } catch (error) {
    if (!(error instanceof RevisionCompacted)) throw error;
    listener({ type: 'ERROR', error: expired(error.message) });
    return { close: () => undefined };
  }
}

function sendCurrent(
  context: RestContext,
  type: ResourceType,
  prefix: string,
  selection: Selection,
  listener: (event: WatchEvent) => void,
): void {
  for (const stored of context.store.range(prefix)) {
    if (selects(selection, type, stored, fromStored)) listener({ type: 'ADDED', stored, revision: stored.revision });
  }
}

/** An object that starts or stops matching appears as ADDED or DELETED; one that never matched is silent. */
function translate(type: ResourceType, selection: Selection, event: StoreEvent): WatchEvent | undefined {
  const { current, previous, revision } = event;
  if (selection === undefined) return { type: event.type, stored: current, revision, source: event };
  const now = event.type !== 'DELETED' && selects(selection, type, current, fromStored);
  const before = selects(selection, type, previous, fromStored);
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', stored: current, revision, source: event };
  if (!before || previous === undefined) return undefined;
  // The last state that the watcher knew, with the revision at which it went away.
  return { type: 'DELETED', stored: event.type === 'DELETED' ? current : previous, revision };
}
