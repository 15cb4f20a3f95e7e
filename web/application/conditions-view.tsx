import type { ReactNode } from 'react';
import type { WireApplication } from '../http/wire';
import { Badge } from '../parts/badge';
import { Empty } from '../parts/notice';
import { ago } from '../parts/time';
import { hintFor } from './condition-hints';

/** What the controller complains of, and what to do about it. */
export function ConditionsView({ application }: { readonly application: WireApplication }): ReactNode {
  const conditions = application.status?.conditions ?? [];
  if (conditions.length === 0)
    return (
      <Empty icon="done" title="No conditions">
        The controller reports no errors or warnings.
      </Empty>
    );
  return (
    <div className="card">
      <table className="table">
        <caption className="sr-only">Conditions</caption>
        <thead>
          <tr>
            <th scope="col">Condition</th>
            <th scope="col">Message</th>
            <th scope="col">Action</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map(({ type, message, lastTransitionTime }) => (
            <tr key={`${type}${message}`}>
              <td className="tight">
                <Badge state={type.endsWith('Error') ? 'Error' : 'Warning'}>{type}</Badge>
              </td>
              <td className="wrap">{message}</td>
              <td className="muted">{hintFor(type)}</td>
              <td className="tight faint">{ago(lastTransitionTime)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
