import { useEffect, type ReactNode } from 'react';
import type { CauseView as Cause, TriageResponse as Report } from '../../src/model/api/index.js';
import { useLoad } from '../http/load';
import { Badge, Shape } from '../parts/badge';
import { Icon } from '../parts/icon';
import { useShortcuts } from '../parts/keys';
import { Empty, Ready } from '../parts/notice';
import { setQuery } from '../parts/route';
import { sentenceOf } from '../parts/sentence';
import { SLOW_INTERVAL, FAST_INTERVAL, useInterval } from '../parts/tick';
import { ago } from '../parts/time';
import { CauseDetail } from './cause-detail';

/** Everything that is not well, as the few causes behind it, in the order of repair. */
export function TriagePage({ query }: { readonly query: URLSearchParams }): ReactNode {
  const report = useLoad<Report>('/api/v1/triage');
  useInterval(report.reload, report.value?.isSearched === false ? FAST_INTERVAL : SLOW_INTERVAL);
  useEffect(() => {
    document.title = 'Triage · Argosy';
  }, []);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Triage</h1>
        {report.value === undefined ? null : <span className="faint">updated {ago(report.value.time)} ago</span>}
        <div className="actions">
          <button type="button" className="button" onClick={report.reload} disabled={report.isLoading}>
            <Icon name="refresh" />
            {report.isLoading ? 'Refreshing…' : 'Refresh'}
          </button>
        </div>
      </header>
      <Ready loaded={report} what="the causes">
        {(value) => <Causes report={value} chosen={query.get('cause') ?? ''} />}
      </Ready>
    </div>
  );
}

function Causes({ report, chosen }: { readonly report: Report; readonly chosen: string }): ReactNode {
  const { causes } = report;
  const at = Math.max(
    0,
    causes.findIndex(({ id, name }) => id === chosen || name === chosen),
  );
  const choose = (index: number): void => {
    const cause = causes[Math.min(causes.length - 1, Math.max(0, index))];
    if (cause !== undefined) setQuery({ cause: cause.id }, { replaces: true });
  };
  useShortcuts({
    j: () => {
      choose(at + 1);
    },
    k: () => {
      choose(at - 1);
    },
  });
  const current = causes[at];
  if (current === undefined)
    return (
      <Empty icon="done" title="No problems found">
        Checked {report.summary.applications} applications and {report.summary.objects} objects.
      </Empty>
    );
  return (
    <>
      <Sum report={report} />
      {report.problems.length === 0 ? null : (
        <details className="faint">
          <summary>{report.problems.length} objects could not be read</summary>
          <ul>
            {report.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
      <div className="triage">
        <nav aria-label="Causes, in the order to fix them">
          <ol className="causes">
            {causes.map((cause, index) => (
              <li key={cause.id}>
                <CauseItem
                  cause={cause}
                  isCurrent={index === at}
                  onChoose={() => {
                    choose(index);
                  }}
                />
              </li>
            ))}
          </ol>
        </nav>
        <CauseDetail
          key={current.id}
          cause={current}
          time={report.time}
          isSearched={report.isSearched}
          isChosen={chosen !== ''}
        />
      </div>
    </>
  );
}

/** The one line that matters: how many suffer, from how few. */
function Sum({ report: { summary, causes } }: { readonly report: Report }): ReactNode {
  const faults = causes.filter(({ kind, severity }) => kind !== 'waiting' && severity !== 'P3');
  return (
    <p className="sum">
      <b>{summary.broken}</b>
      <span className="muted">of {summary.applications} applications unhealthy or out of sync, from</span>
      <b>{faults.length}</b>
      <span className="muted">{faults.length === 1 ? 'cause' : 'causes'}</span>
      {['P0', 'P1', 'P2', 'P3']
        .map((severity) => ({ severity, count: causes.filter((cause) => cause.severity === severity).length }))
        .filter(({ count }) => count > 0)
        .map(({ severity, count }) => (
          <Badge key={severity} state={severity} isQuiet>
            {count} {severity}
          </Badge>
        ))}
    </p>
  );
}

function CauseItem({
  cause,
  isCurrent,
  onChoose,
}: {
  readonly cause: Cause;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}): ReactNode {
  return (
    <button type="button" className="cause-item" aria-current={isCurrent} onClick={onChoose}>
      <Shape state={cause.severity} />
      <span className="title">{sentenceOf(cause.title)}</span>
      <span className="sub">
        <span>{cause.name}</span>
        <span>
          {cause.reach.count} {cause.reach.count === 1 ? 'application' : 'applications'}
        </span>
        {cause.confidence !== 'sure' ? <span>{cause.confidence}</span> : null}
      </span>
    </button>
  );
}
