import { useEffect, useState, type ReactNode } from 'react';
import { useLoad } from '../http/load';
import { Badge, toneOf } from '../parts/badge';
import { Link } from '../parts/link';
import { Empty, Ready } from '../parts/notice';
import { SearchBox } from '../parts/search-box';
import { useTick } from '../parts/tick';
import { ago, span } from '../parts/time';
import { applicationOf, cellState, durationOf, gateText, type Cell, type Job } from './job';

/** Every notebook that gates something, with its cells. */
export function NotebooksPage(): ReactNode {
  const tick = useTick(2000);
  const jobs = useLoad<{ readonly items: readonly Job[] | null }>('/api/v1/notebooks', {}, tick);
  const [search, setSearch] = useState('');
  useEffect(() => {
    document.title = 'Notebooks · Argosy';
  }, []);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Notebooks</h1>
        <div className="actions">
          <SearchBox value={search} onSearch={setSearch} label="Search notebooks" placeholder="Search notebooks…" />
        </div>
      </header>
      <Ready loaded={jobs} what="the notebooks">
        {({ items }) => (
          <JobTable
            jobs={(items ?? []).filter((job) =>
              `${job.metadata.namespace}/${job.metadata.name} ${job.status?.phase ?? ''} ${applicationOf(job)}`
                .toLowerCase()
                .includes(search.toLowerCase()),
            )}
            isSearched={search !== ''}
          />
        )}
      </Ready>
    </div>
  );
}

function JobTable({ jobs, isSearched }: { readonly jobs: readonly Job[]; readonly isSearched: boolean }): ReactNode {
  if (jobs.length === 0)
    return isSearched ? (
      <Empty icon="search" title="No notebook matches" />
    ) : (
      <Empty icon="notebook" title="No notebooks">
        NotebookValidationJobs of your applications appear here when they are created, and cells as they finish.
      </Empty>
    );
  return (
    <div className="card scroll-x" tabIndex={0} role="region" aria-label="Notebook jobs">
      <table className="table">
        <caption className="sr-only">Notebooks</caption>
        <thead>
          <tr>
            <th scope="col">Notebook</th>
            <th scope="col">Phase</th>
            <th scope="col">Cells</th>
            <th scope="col">Wave</th>
            <th scope="col">Application</th>
            <th scope="col">Took</th>
            <th scope="col">Age</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <JobRow key={`${job.metadata.namespace}/${job.metadata.name}`} job={job} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function JobRow({ job }: { readonly job: Job }): ReactNode {
  const {
    metadata: { namespace, name, creationTimestamp },
    status,
  } = job;
  const took = durationOf(job, Date.now());
  const application = applicationOf(job);
  return (
    <tr>
      <td>
        <Link to={`/notebooks/${namespace}/${name}`} className="link">
          {name}
        </Link>
        <div className="faint small-text">{namespace}</div>
      </td>
      <td className="tight">
        <Badge state={status?.phase ?? 'Pending'} />
      </td>
      <td>
        <Cells cells={status?.results ?? []} />
        {status?.phase === 'Failed' && status.message !== undefined ? (
          <div className="muted small-text">{status.message}</div>
        ) : null}
      </td>
      <td className="muted">{gateText(job)}</td>
      <td>
        {application === '' ? (
          <span className="faint">none</span>
        ) : (
          <Link to={`/applications/${application}`} className="link">
            {application}
          </Link>
        )}
      </td>
      <td className="tight number">{took === undefined ? '' : span(took)}</td>
      <td className="tight number">{ago(creationTimestamp)}</td>
    </tr>
  );
}

/** A shape for each cell. */
export function Cells({ cells }: { readonly cells: readonly Cell[] }): ReactNode {
  if (cells.length === 0) return <span className="faint">none yet</span>;
  const done = cells.filter((cell) => cellState(cell) === 'Succeeded').length;
  const failed = cells.filter((cell) => cellState(cell) === 'Failed').length;
  return (
    <span
      className="cells"
      role="img"
      aria-label={`${done} of ${cells.length} cells succeeded${failed > 0 ? `, ${failed} failed` : ''}`}
    >
      {cells.map((cell) => (
        <i key={cell.cellIndex} className={`tone-${toneOf(cellState(cell))}`} />
      ))}
    </span>
  );
}
