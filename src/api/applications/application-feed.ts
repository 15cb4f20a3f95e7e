import type { FrontDesk } from '../../control/index.js';
import type { KubeObject } from '../../model/index.js';
import type { Feed, Outlet } from '../http/answer.js';
import type { ApplicationBook } from './application-book.js';
import { Changes, type EventType } from './changes.js';
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

/** Applications as they change. */
export function applicationFeed(options: FeedOptions): Feed {
  return async (outlet) => {
    const changes = new Changes();
    const stop = options.desk.onApplication((change) => {
      changes.note(change);
    });
    try {
      if (options.tellsAll) await tellAll(options, outlet);
      // Rights count when a line goes out, not when the change came.
      await changes.tell(outlet, (type, application) =>
        options.isWanted(application) ? eventText(options, type, application) : undefined,
      );
    } finally {
      stop();
    }
  };
}

async function tellAll(options: FeedOptions, outlet: Outlet): Promise<void> {
  for (const application of options.book.all()) {
    if (outlet.signal.aborted) return;
    if (options.isWanted(application) && !outlet.send(eventText(options, 'ADDED', application))) await outlet.drained();
  }
}

function eventText(
  { book, fields, fieldsText, hasType }: FeedOptions,
  type: EventType,
  application: KubeObject,
): string {
  const text = book.texts.of(application, fields, fieldsText);
  return hasType ? `{"type":"${type}","application":${text}}` : `{"application":${text}}`;
}
