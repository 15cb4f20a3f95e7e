import type { ControlServices } from '../../control/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Feed, StreamWriter } from '../http/index.js';
import type { ApplicationTexts } from './application-text.js';
import { PendingChanges, type EventType } from './pending-changes.js';
import type { FieldChoice } from './select-fields.js';

export interface FeedOptions {
  readonly services: { readonly applications: Pick<ControlServices['applications'], 'onChange' | 'list'> };
  readonly texts: ApplicationTexts;
  /** Whether the client wants to hear of it, and may. */
  readonly isWanted: (application: KubeObject) => boolean;
  /** Begins with what is there now. */
  readonly sendsInitial: boolean;
  readonly fields: FieldChoice | undefined;
  readonly fieldsText: string;
  /** Whether the client takes the type of an event. */
  readonly hasType: boolean;
}

/** Applications as they change. */
export function applicationFeed(options: FeedOptions): Feed {
  return async (outlet) => {
    const changes = new PendingChanges();
    const stop = options.services.applications.onChange((change) => {
      changes.add(change);
    });
    try {
      if (options.sendsInitial) await sendInitial(options, outlet);
      // Rights count when a line goes out, not when the change came.
      await changes.sendTo(outlet, (type, application) =>
        options.isWanted(application) ? eventText(options, type, application) : undefined,
      );
    } finally {
      stop();
    }
  };
}

async function sendInitial(options: FeedOptions, outlet: StreamWriter): Promise<void> {
  for (const application of options.services.applications.list()) {
    if (outlet.signal.aborted) return;
    if (options.isWanted(application) && !outlet.send(eventText(options, 'ADDED', application))) await outlet.drained();
  }
}

function eventText(
  { texts, fields, fieldsText, hasType }: FeedOptions,
  type: EventType,
  application: KubeObject,
): string {
  const text = texts.of(application, fields, fieldsText);
  return hasType ? `{"type":"${type}","application":${text}}` : `{"application":${text}}`;
}
