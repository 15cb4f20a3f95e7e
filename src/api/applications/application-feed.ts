import type { ApplicationChange, FrontDesk } from '../../control/index.js';
import { idOf, qualifiedName, type KubeObject } from '../../model/index.js';
import type { Feed, Outlet } from '../http/answer.js';
import type { ApplicationBook } from './application-book.js';
import type { FieldChoice } from './select-fields.js';

export interface FeedOptions {
  readonly desk: FrontDesk;
  readonly book: ApplicationBook;
  /** Whether the client wants to hear of it, and may. */
  readonly isWanted: (application: KubeObject) => boolean;
  /** Begins with what is there now. */
  readonly tellsAll: boolean;
  readonly fields: FieldChoice | undefined;
  readonly fieldsText: string;
  /** Whether the client takes the type of an event. */
  readonly hasType: boolean;
}

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * Applications as they change. A client that takes its time is not waited for: of an application that changed meanwhile it gets the newest state, once.
 * So what is kept for it is never more than one line an application.
 */
export function applicationFeed(options: FeedOptions): Feed {
  return async (outlet) => {
    const pending = new Map<string, { type: EventType; application: KubeObject }>();
    let wake: () => void = () => undefined;
    const stop = options.desk.onApplication((change) => {
      note(pending, change, options.isWanted);
      wake();
    });
    try {
      if (options.tellsAll) await tellAll(options, outlet);
      while (!outlet.signal.aborted) {
        await tellPending(options, outlet, pending);
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (pending.size > 0 || outlet.signal.aborted) resolve();
          else outlet.signal.addEventListener('abort', () => { resolve(); }, { once: true });
        });
      }
    } finally {
      stop();
    }
  };
}

function note(pending: Map<string, { type: EventType; application: KubeObject }>, change: ApplicationChange, isWanted: FeedOptions['isWanted']): void {
  const application = change.type === 'deleted' ? change.old : change.object;
  if (!isWanted(application)) return;
  const key = qualifiedName(idOf(application));
  const before = pending.get(key);
  const type = change.type === 'deleted' ? 'DELETED' : change.type === 'added' || before?.type === 'ADDED' ? 'ADDED' : 'MODIFIED';
  // Behind the others: what changes all the time does not keep them waiting.
  pending.delete(key);
  pending.set(key, { type, application });
}

async function tellAll(options: FeedOptions, outlet: Outlet): Promise<void> {
  for (const application of options.book.all()) {
    if (outlet.signal.aborted) return;
    if (options.isWanted(application) && !outlet.send(eventText(options, 'ADDED', application))) await outlet.drained();
  }
}

async function tellPending(options: FeedOptions, outlet: Outlet, pending: Map<string, { type: EventType; application: KubeObject }>): Promise<void> {
  for (const [key, { type, application }] of pending) {
    if (outlet.signal.aborted) return;
    pending.delete(key);
    if (!outlet.send(eventText(options, type, application))) await outlet.drained();
  }
}

function eventText({ book, fields, fieldsText, hasType }: FeedOptions, type: EventType, application: KubeObject): string {
  const text = book.texts.of(application, fields, fieldsText);
  return hasType ? `{"type":"${type}","application":${text}}` : `{"application":${text}}`;
}
