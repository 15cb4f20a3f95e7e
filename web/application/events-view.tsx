import type { ReactNode } from 'react';
import { useLoad } from '../http/load';
import type { WireEvents } from '../http/wire';
import { Badge } from '../parts/badge';
import { Empty, Ready } from '../parts/notice';
import { ago } from '../parts/time';
import { appPath, appQuery, type AppRef } from '../http/application-path';
import type { Query } from '../http/client';

/** Events of the application, or of one of its objects. */
export function EventsView({
  app,
  version,
  of,
}: {
  readonly app: AppRef;
  readonly version: string;
  readonly of?: Query;
}): ReactNode {
  const events = useLoad<WireEvents>(appPath(app, '/events'), appQuery(app, of ?? {}), version);
  return (
    <Ready loaded={events} what="the events">
      {(value) => <EventTable events={value} />}
    </Ready>
  );
}

function EventTable({ events }: { readonly events: WireEvents }): ReactNode {
  const timeOf = ({ lastTimestamp, eventTime, firstTimestamp }: NonNullable<WireEvents['items']>[number]): string =>
    lastTimestamp ?? eventTime ?? firstTimestamp ?? '';
  const items = (events.items ?? []).toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  if (items.length === 0)
    return (
      <Empty icon="clock" title="No events">
        No events in the last hour. Kubernetes drops older ones.
      </Empty>
    );
  return (
    <div className="card scroll-x" tabIndex={0} role="region" aria-label="Events">
      <table className="table">
        <caption className="sr-only">Events</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Type</th>
            <th scope="col">Reason</th>
            <th scope="col">Object</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {items.map((event, index) => (
            <tr key={event.metadata?.uid ?? index}>
              <td className="tight faint number">
                {ago(timeOf(event))}
                {(event.count ?? 1) > 1 ? ` ×${event.count ?? 1}` : ''}
              </td>
              <td className="tight">
                <Badge state={event.type ?? 'Normal'} isQuiet={event.type !== 'Warning'} />
              </td>
              <td className="tight">{event.reason}</td>
              <td className="tight muted">
                {event.involvedObject?.kind} {event.involvedObject?.name}
              </td>
              <td className="wrap">{event.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
