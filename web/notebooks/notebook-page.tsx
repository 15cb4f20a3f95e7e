import { useEffect, type ReactNode } from 'react';
import { useLoad } from '../http/load';
import { Badge } from '../parts/badge';
import { Icon } from '../parts/icon';
import { Link } from '../parts/link';
import { Empty, Ready } from '../parts/notice';
import { useTick } from '../parts/tick';
import { moment, span } from '../parts/time';
import { applicationOf, cellState, durationOf, gateText, tracebackOf, type Cell, type Job } from './job';
import { Cells } from './notebooks-page';

const isOver = (job: Job | undefined): boolean => ['Succeeded', 'Failed'].includes(job?.status?.phase ?? '');

/** One notebook, its cells as they finish. */
export function NotebookPage({ namespace, name }: { readonly namespace: string; readonly name: string }): ReactNode {
  const tick = useTick(1500);
  const job = useLoad<Job>(`/api/v1/notebooks/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`, {}, tick);
  useEffect(() => {
    document.title = `${name} · Notebooks · Argosy`;
  }, [name]);
  return (
    <div className="page">
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/notebooks">Notebooks</Link>
        <Icon name="right" size={12} />
        <span>{namespace}</span>
      </nav>
      <Ready loaded={job} what="the notebook">
        {(value) => <NotebookView job={value} />}
      </Ready>
    </div>
  );
}

function NotebookView({ job }: { readonly job: Job }): ReactNode {
  const { metadata, status } = job;
  const cells = status?.results ?? [];
  return (
    <>
      <header className="page-head">
        <h1>{metadata.name}</h1>
        <Badge state={status?.phase ?? 'Pending'} />
        <Cells cells={cells} />
        {isOver(job) ? null : (
          <span className="live is-on">
            <i />
            live
          </span>
        )}
      </header>
      {status?.message === undefined || status.message === '' ? null : (
        <div className={`card why ${status.phase === 'Failed' ? 'tone-bad' : 'tone-busy'}`}>
          <p>{status.message}</p>
          {gateText(job) === '' ? null : <p className="muted">{gateText(job)}.</p>}
        </div>
      )}
      <JobFacts job={job} />
      <section className="card" aria-label="Cells">
        {cells.length === 0 ? (
          <Empty icon="notebook" title="No cell has finished yet">
            Cells appear here one by one.
          </Empty>
        ) : (
          cells.map((cell) => <CellView key={cell.cellIndex} cell={cell} />)
        )}
      </section>
      <Triggers triggers={status?.triggers ?? []} />
    </>
  );
}

function JobFacts({ job }: { readonly job: Job }): ReactNode {
  const { status, spec } = job;
  const application = applicationOf(job);
  return (
    <section className="card card-body">
      <dl className="facts">
        <dt>Notebook</dt>
        <dd>
          <code>{spec?.notebook?.path}</code>{' '}
          <span className="faint">
            of {spec?.notebook?.git?.url} at {spec?.notebook?.git?.ref ?? 'HEAD'}
          </span>
        </dd>
        {application === '' ? null : (
          <>
            <dt>Application</dt>
            <dd>
              <Link to={`/applications/${application}`} className="link">
                {application}
              </Link>
            </dd>
          </>
        )}
        {status?.startTime === undefined ? null : (
          <>
            <dt>Started</dt>
            <dd>{startText(job, status.startTime)}</dd>
          </>
        )}
        {status?.kernel === undefined ? null : (
          <>
            <dt>Kernel</dt>
            <dd>{status.kernel}</dd>
          </>
        )}
        {spec?.podConfig?.containerImage === undefined ? null : (
          <>
            <dt>Image</dt>
            <dd>
              <code>{spec.podConfig.containerImage}</code>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function startText(job: Job, startTime: string): string {
  const took = durationOf(job, Date.now());
  const retries = job.status?.retryCount ?? 0;
  const duration = took === undefined ? '' : `, ${isOver(job) ? 'took' : 'running for'} ${span(took)}`;
  return `${moment(startTime)}${duration}${retries > 0 ? `, attempt ${retries + 1}` : ''}`;
}

type Trigger = NonNullable<NonNullable<Job['status']>['triggers']>[number];

function Triggers({ triggers }: { readonly triggers: readonly Trigger[] }): ReactNode {
  if (triggers.length === 0) return null;
  return (
    <section className="card" aria-label="Triggered actions">
      <header className="card-head">
        <h2>Triggered actions</h2>
      </header>
      <div className="card-body">
        {triggers.map((trigger) => (
          <p key={`${trigger.kind}${trigger.name}${trigger.action}`} className="cell-line">
            <Badge state={trigger.state} />
            <span>
              {trigger.action} {trigger.kind} {trigger.name}
            </span>
            <span className="muted">{trigger.message}</span>
          </p>
        ))}
      </div>
    </section>
  );
}

function CellView({ cell }: { readonly cell: Cell }): ReactNode {
  const traceback = tracebackOf(cell);
  return (
    <div className="cell">
      <div className="cell-side">[{cell.cellIndex}]</div>
      <div className="cell-main">
        <div className="cell-line">
          <Badge state={cellState(cell)} isQuiet>
            {cell.status}
          </Badge>
          <span className="faint">{cell.cellType}</span>
          <span className="faint">{cell.executionTime}</span>
        </div>
        {cell.source === undefined || cell.source === '' ? null : (
          <pre tabIndex={0} role="region" aria-label={`Source of cell ${cell.cellIndex}`}>
            {cell.source}
          </pre>
        )}
        {cell.output === undefined || cell.output === '' ? null : (
          <pre tabIndex={0} role="region" aria-label={`Output of cell ${cell.cellIndex}`}>
            {cell.output}
          </pre>
        )}
        {cell.errorType === undefined && cell.errorMessage === undefined ? null : (
          <p>
            <b>{cell.errorType}</b>
            {cell.errorMessage === undefined ? '' : `: ${cell.errorMessage}`}
          </p>
        )}
        {traceback === '' ? null : (
          <pre className="is-bad" tabIndex={0} role="region" aria-label={`Traceback of cell ${cell.cellIndex}`}>
            {traceback}
          </pre>
        )}
      </div>
    </div>
  );
}
