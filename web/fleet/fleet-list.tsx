import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { FleetRow } from '../../src/model/api/index.js';
import { Badge } from '../parts/badge';
import { useShortcuts } from '../parts/keys';
import { Link } from '../parts/link';
import { go } from '../parts/route';
import { sentenceOf } from '../parts/sentence';
import { ago } from '../parts/time';
import { applicationPath, PAGE_SIZE, type Pages } from './fleet';
import { pagesOf, windowOf } from './window';

export type Layout = 'table' | 'tiles';

const ROW_HEIGHT = 54;
const TILE = { width: 330, height: 132, gap: 12 } as const;

/** Only what is in sight is on the page, however many there are. */
export function FleetList({
  pages,
  layout,
  want,
  hasClusters,
}: {
  readonly pages: Pages;
  readonly layout: Layout;
  readonly want: (pages: readonly number[]) => void;
  readonly hasClusters: boolean;
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800, width: 1200 });
  const [current, setCurrent] = useState(-1);
  const columns = layout === 'tiles' ? Math.max(1, Math.floor((view.width + TILE.gap) / (TILE.width + TILE.gap))) : 1;
  const rowHeight = layout === 'tiles' ? TILE.height + TILE.gap : ROW_HEIGHT;
  const seen = windowOf(pages.total, { ...view, rowHeight, columns });
  const needed = pagesOf(seen.first, seen.last, PAGE_SIZE).join(',');
  useEffect(() => {
    want(needed === '' ? [] : needed.split(',').map(Number));
  }, [needed, want]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = (): void => {
      setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [layout]);
  const move = (step: number): void => {
    const next = Math.min(pages.total - 1, Math.max(0, current + step));
    setCurrent(next);
    const top = Math.floor(next / columns) * rowHeight;
    const element = scroller.current;
    if (element !== null && (top < element.scrollTop || top + rowHeight > element.scrollTop + element.clientHeight))
      element.scrollTop = Math.max(0, top - element.clientHeight / 2);
  };
  const open = (): void => {
    const row = pages.rows.get(current);
    if (row !== undefined) go(applicationPath(row));
  };
  useShortcuts({
    j: () => {
      move(1);
    },
    k: () => {
      move(-1);
    },
    ...(current >= 0 ? { Enter: open } : {}),
  });
  const indexes = Array.from({ length: Math.max(0, seen.last - seen.first) }, (_, index) => seen.first + index);
  const width = (view.width - TILE.gap * (columns - 1)) / columns;
  return (
    <div
      className={layout === 'table' ? 'rows card' : 'rows'}
      role="table"
      aria-label="Applications"
      aria-rowcount={pages.total + 1}
    >
      {layout === 'table' ? <Head /> : null}
      <div className="rows-scroll" ref={scroller} tabIndex={0} role="rowgroup" aria-label="Applications">
        <div className="rows-space" role="presentation" style={{ height: seen.height }}>
          {indexes.map((index) =>
            layout === 'table' ? (
              <Row
                key={index}
                index={index}
                row={pages.rows.get(index)}
                isCurrent={index === current}
                hasClusters={hasClusters}
              />
            ) : (
              <Tile
                key={index}
                index={index}
                row={pages.rows.get(index)}
                isCurrent={index === current}
                place={{
                  left: (index % columns) * (width + TILE.gap),
                  top: Math.floor(index / columns) * rowHeight,
                  width,
                }}
              />
            ),
          )}
        </div>
      </div>
    </div>
  );
}

function Head(): ReactNode {
  return (
    <div className="row rows-head" role="row">
      {['Application', 'Sync', 'Health', 'Why'].map((title) => (
        <div key={title} role="columnheader">
          {title}
        </div>
      ))}
      <div role="columnheader" className="where">
        Destination
      </div>
      <div role="columnheader" className="when">
        Deployed
      </div>
    </div>
  );
}

function Row({
  row,
  index,
  isCurrent,
  hasClusters,
}: {
  readonly row: FleetRow | undefined;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly hasClusters: boolean;
}): ReactNode {
  const style = { top: index * ROW_HEIGHT };
  if (row === undefined)
    return (
      <div className="row app-row" role="row" aria-rowindex={index + 2} style={style}>
        <div className="row-blank" role="cell" aria-label="Loading" />
      </div>
    );
  return (
    <div className={`row app-row${isCurrent ? ' is-current' : ''}`} role="row" aria-rowindex={index + 2} style={style}>
      <div className="name" role="cell">
        <Link to={applicationPath(row)} className="cut">
          {row.name}
        </Link>
        <span className="faint cut">{row.project}</span>
      </div>
      <div role="cell">
        <Badge state={row.sync} isQuiet={row.sync === 'Synced'} />
      </div>
      <div role="cell">
        <Badge state={row.health} isQuiet={row.health === 'Healthy'} />
      </div>
      <div role="cell">
        <div className="cause" title={row.cause}>
          {sentenceOf(row.cause)}
        </div>
      </div>
      <div role="cell" className="where muted cut" title={`${row.cluster}/${row.destinationNamespace}`}>
        {row.destinationNamespace}
        {hasClusters ? <div className="faint cut small-text">{row.cluster}</div> : null}
      </div>
      <div role="cell" className="when faint">
        {ago(row.deployedAt)}
      </div>
    </div>
  );
}

function Tile({
  row,
  index,
  isCurrent,
  place,
}: {
  readonly row: FleetRow | undefined;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly place: { readonly left: number; readonly top: number; readonly width: number };
}): ReactNode {
  const style = { ...place, height: TILE.height };
  if (row === undefined)
    return (
      <div className="tile" role="row" aria-rowindex={index + 2} style={style}>
        <div className="row-blank" role="cell" aria-label="Loading" />
      </div>
    );
  return (
    <div className={`tile${isCurrent ? ' is-current' : ''}`} role="row" aria-rowindex={index + 2} style={style}>
      <div role="cell" className="cut">
        <Link to={applicationPath(row)}>{row.name}</Link>
      </div>
      <div role="cell" className="states">
        <Badge state={row.sync} isQuiet={row.sync === 'Synced'} />
        <Badge state={row.health} isQuiet={row.health === 'Healthy'} />
      </div>
      <div role="cell" className="cause" title={row.cause}>
        {sentenceOf(row.cause)}
      </div>
      <div role="cell" className="foot">
        <span className="cut">
          {row.project} · {row.destinationNamespace}
        </span>
        <span>{ago(row.deployedAt)}</span>
      </div>
    </div>
  );
}
