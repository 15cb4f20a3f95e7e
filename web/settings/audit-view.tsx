import { useState, type ReactNode } from 'react';
import { useLoad } from '../http/load';
import { Badge } from '../parts/badge';
import { Empty, Ready } from '../parts/notice';
import { SearchBox } from '../parts/search-box';
import { shortRevision } from '../parts/short-revision';

interface AuditLine {
  readonly seq: number;
  readonly time: string;
  readonly source: string;
  readonly user?: string;
  readonly address?: string;
  readonly client?: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly object?: string;
  readonly target?: string;
  readonly decision?: string;
  readonly result?: string;
  readonly revision?: string;
  readonly message?: string;
  readonly count?: number;
  readonly pruned?: readonly string[];
}

interface AuditPage {
  readonly items: readonly AuditLine[];
  /** Older lines are before this one. */
  readonly next?: number;
  readonly isKept: boolean;
  readonly isFailing: boolean;
  readonly lost: number;
}

const COLUMNS = ['Time', 'User', 'From', 'Action', 'Object', 'Decision', 'Details'];

/** What was changed and refused, the newest first. */
export function AuditView(): ReactNode {
  const [object, setObject] = useState('');
  const [user, setUser] = useState('');
  const [isRefused, setRefused] = useState(false);
  const [before, setBefore] = useState('');
  const loaded = useLoad<AuditPage>('/api/v1/audit', { object, user, refused: isRefused ? 'true' : '', before });
  return (
    <>
      <div className="filters">
        <SearchBox label="Object" placeholder="Object…" value={object} onSearch={fromNewest(setObject, setBefore)} />
        <SearchBox label="User" placeholder="User…" value={user} onSearch={fromNewest(setUser, setBefore)} />
        <label className="check">
          <input
            type="checkbox"
            checked={isRefused}
            onChange={(event) => {
              fromNewest(setRefused, setBefore)(event.target.checked);
            }}
          />
          <span>Refused only</span>
        </label>
      </div>
      <Ready loaded={loaded} what="the audit log">
        {(page) => (
          <>
            {page.isFailing || page.lost > 0 ? (
              <div className="problem" role="alert">
                {page.isFailing ? 'The audit log cannot be written now. ' : ''}
                {page.lost > 0 ? `${page.lost} entries were lost since the start.` : ''}
              </div>
            ) : null}
            <Lines page={page} />
            <div className="filters">
              {before === '' ? null : (
                <button type="button" className="button" onClick={() => setBefore('')}>
                  Newest
                </button>
              )}
              {page.next === undefined ? null : (
                <button type="button" className="button" onClick={() => setBefore(String(page.next))}>
                  Older
                </button>
              )}
            </div>
          </>
        )}
      </Ready>
    </>
  );
}

/** Another filter begins at the newest line again. */
function fromNewest<T>(set: (value: T) => void, setBefore: (before: string) => void): (value: T) => void {
  return (value) => {
    setBefore('');
    set(value);
  };
}

function Lines({ page: { items, isKept } }: { readonly page: AuditPage }): ReactNode {
  if (!isKept) return <Empty icon="settings" title="This server writes its audit log to standard output" />;
  if (items.length === 0) return <Empty icon="settings" title="No such lines" />;
  return (
    <div className="card scroll-x" tabIndex={0} role="region" aria-label="audit log">
      <table className="table">
        <caption className="sr-only">Audit log</caption>
        <thead>
          <tr>
            {COLUMNS.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((line) => (
            <tr key={line.seq}>
              <td className="tight" title={line.time}>
                {new Date(line.time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })}
              </td>
              <td>{line.source === 'audit' ? <span className="faint">audit log</span> : line.user || '–'}</td>
              <td>{joined(line.address, line.client) || line.source}</td>
              <td>{line.verb}</td>
              <td>
                <code>{joined(line.resource, line.object)}</code>
              </td>
              <td>{decision(line)}</td>
              <td>{details(line)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function decision({ decision: made, result = '' }: AuditLine): ReactNode {
  if (made === 'refused') return <Badge state="Failed">refused</Badge>;
  return result === 'ok' || made === undefined ? made : `${made}: ${result}`;
}

function details({ target, revision = '', message, count = 1, pruned = [] }: AuditLine): string {
  // With several sources there is a revision of each.
  const revisions = revision.split(',').map(shortRevision).join(', ');
  const removed = pruned.length === 0 ? undefined : `pruned ${pruned.join(', ')}`;
  return [target, revisions, message, removed, count > 1 ? `${count} times` : undefined]
    .filter((part) => part !== undefined && part !== '')
    .join('; ');
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}
