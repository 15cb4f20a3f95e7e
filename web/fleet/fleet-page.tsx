import { useEffect, type ReactNode } from 'react';
import type { FleetCounts as Counts } from '../../src/model/api/index.js';
import { Shape, toneOf } from '../parts/badge';
import { Icon } from '../parts/icon';
import { useShortcuts } from '../parts/keys';
import { useNarrow } from '../parts/narrow';
import { Empty, ErrorNotice, LoadingRows } from '../parts/notice';
import { setQuery } from '../parts/route';
import { SearchBox } from '../parts/search-box';
import { FleetList, type Layout } from './fleet-list';
import { HEALTHS, readFilter, SYNCS, type Filter } from './fleet';
import { useFleet } from './use-fleet';

/** All applications: how many are how, and for each that is not well, why. */
export function FleetPage({ query }: { readonly query: URLSearchParams }): ReactNode {
  const filter = readFilter(query);
  const fleet = useFleet(filter);
  const isNarrow = useNarrow();
  const layout: Layout = isNarrow || query.get('view') === 'tiles' ? 'tiles' : 'table';
  const turn = (): void => {
    setQuery({ view: layout === 'tiles' ? '' : 'tiles' }, { replaces: true });
  };
  useEffect(() => {
    document.title = 'Fleet · Argosy';
  }, []);
  useShortcuts({ v: turn });
  const { counts, pages } = fleet;
  return (
    <div className="page fleet">
      <header className="page-head">
        <h1>Fleet</h1>
        {counts === undefined ? null : (
          <span className="faint">
            {counts.all} {counts.all === 1 ? 'application' : 'applications'}
          </span>
        )}
        <span className={`live${fleet.isLive ? ' is-on' : ''}`}>
          <i />
          {fleet.isLive ? 'live' : 'not connected'}
        </span>
        {isNarrow ? null : (
          <div className="actions">
            <div className="toggle" role="group" aria-label="Layout">
              <button
                type="button"
                className="icon-button"
                aria-label="Table"
                aria-pressed={layout === 'table'}
                onClick={turn}
              >
                <Icon name="table" />
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label="Tiles"
                aria-pressed={layout === 'tiles'}
                onClick={turn}
              >
                <Icon name="tiles" />
              </button>
            </div>
          </div>
        )}
      </header>
      {counts === undefined ? null : (
        <>
          <Meter counts={counts} />
          <CountButtons counts={counts} filter={filter} />
          <Filters counts={counts} filter={filter} total={pages.total} />
        </>
      )}
      <FleetBody fleet={fleet} layout={layout} />
    </div>
  );
}

interface FleetBodyProps {
  readonly fleet: ReturnType<typeof useFleet>;
  readonly layout: Layout;
}

function FleetBody({ fleet, layout }: FleetBodyProps): ReactNode {
  const { counts, pages, error } = fleet;
  if (counts === undefined && error !== undefined)
    return <ErrorNotice error={error} what="the fleet" onRetry={fleet.reload} />;
  if (counts === undefined) return <LoadingRows label="Loading the fleet" rows={9} />;
  if (pages.total === 0) return <Nothing all={counts.all} />;
  return <FleetList pages={pages} layout={layout} want={fleet.want} hasClusters={counts.clusters.length > 1} />;
}

function Nothing({ all }: { readonly all: number }): ReactNode {
  if (all > 0)
    return (
      <Empty icon="search" title="No application matches">
        <button
          type="button"
          className="button"
          onClick={() => {
            setQuery({ search: '', sync: '', health: '', project: '', cluster: '', namespace: '' });
          }}
        >
          Show all {all}
        </button>
      </Empty>
    );
  return (
    <Empty icon="fleet" title="No applications yet">
      Create one with <code>argosy app create</code> or <code>kubectl apply -f application.yaml</code>; it appears here
      immediately.
    </Empty>
  );
}

function Meter({ counts }: { readonly counts: Counts }): ReactNode {
  const shares = HEALTHS.map((health) => ({ health, count: counts.health[health] ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  return (
    <div className="meter" role="img" aria-label={shares.map(({ health, count }) => `${count} ${health}`).join(', ')}>
      {shares.map(({ health, count }) => (
        <i key={health} className={`tone-${toneOf(health)}`} style={{ flexGrow: count }} />
      ))}
    </div>
  );
}

/** Counts that filter; pressed again they show all. */
function CountButtons({ counts, filter }: { readonly counts: Counts; readonly filter: Filter }): ReactNode {
  const group = (name: 'health' | 'sync', label: string, states: readonly string[]): ReactNode => (
    <div className="count-group" role="group" aria-label={label}>
      {states
        .filter((state) => (counts[name][state] ?? 0) > 0 || filter[name] === state)
        .map((state) => (
          <button
            key={state}
            type="button"
            className="count-button"
            aria-pressed={filter[name] === state}
            onClick={() => {
              setQuery({ [name]: filter[name] === state ? '' : state }, { replaces: true });
            }}
          >
            <Shape state={state} />
            <b>{counts[name][state] ?? 0}</b>
            {name === 'sync' && state === 'Unknown' ? 'Sync unknown' : state}
          </button>
        ))}
    </div>
  );
  return (
    <div className="counts">
      {group('health', 'Health', HEALTHS)}
      {group('sync', 'Sync', SYNCS)}
    </div>
  );
}

function Filters({
  counts,
  filter,
  total,
}: {
  readonly counts: Counts;
  readonly filter: Filter;
  readonly total: number;
}): ReactNode {
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return (
    <div className="filters">
      <SearchBox
        value={filter.search}
        onSearch={(search) => {
          setQuery({ search }, { replaces: true });
        }}
        label="Search applications"
        placeholder="Search name, project, repository, cause…"
      />
      <Choice name="project" label="Project" every="All projects" options={counts.projects} value={filter.project} />
      <Choice name="cluster" label="Cluster" every="All clusters" options={counts.clusters} value={filter.cluster} />
      <Choice
        name="namespace"
        label="Namespace"
        every="All namespaces"
        options={counts.namespaces}
        value={filter.namespace}
      />
      {isFiltered ? (
        <span className="faint" role="status">
          {total} shown
        </span>
      ) : null}
    </div>
  );
}

function Choice({
  name,
  label,
  every,
  options,
  value,
}: {
  readonly name: string;
  readonly label: string;
  readonly every: string;
  readonly options: readonly string[];
  readonly value: string;
}): ReactNode {
  if (options.length < 2 && value === '') return null;
  return (
    <select
      className="select"
      aria-label={label}
      value={value}
      onChange={(event) => {
        setQuery({ [name]: event.target.value }, { replaces: true });
      }}
    >
      <option value="">{every}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}
