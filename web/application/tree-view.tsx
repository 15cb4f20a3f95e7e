import { useMemo, useState, type ReactNode } from 'react';
import type { WireApplication, WireTree } from '../http/wire';
import { Shape } from '../parts/badge';
import { Icon } from '../parts/icon';
import { Empty } from '../parts/notice';
import { waveColumns, type TreeGroup, type TreeItem, type WaveColumn } from './resource-tree';
import type { WaveGate } from './wave-gates';

interface TreeViewProps {
  readonly application: WireApplication;
  readonly tree: WireTree | undefined;
  readonly gates: ReadonlyMap<number, WaveGate>;
  readonly onOpen: (item: TreeItem) => void;
}

const ZOOMS = [0.6, 0.7, 0.8, 0.9, 1, 1.15, 1.3];
/** A kind with more objects than this in one wave begins as one line. */
const MAX_OPEN = 8;

/** The objects of an application: a column for each wave, in the order in which a sync goes. */
export function TreeView({ application, tree, gates, onOpen }: TreeViewProps): ReactNode {
  const [search, setSearch] = useState('');
  const [zoom, setZoom] = useState(4);
  const columns = useMemo(() => waveColumns(application, tree, search), [application, tree, search]);
  const total = application.status?.resources?.length ?? 0;
  if (total === 0)
    return (
      <Empty icon="cluster" title="No resources yet">
        Not compared yet, or no manifests at this path in git.
      </Empty>
    );
  const turn = (step: number): void => {
    setZoom((before) => Math.min(ZOOMS.length - 1, Math.max(0, before + step)));
  };
  return (
    <div className="tree">
      <div className="tree-tools">
        <label className="search grow">
          <span className="sr-only">Search resources</span>
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search kind, name, health…"
            value={search}
            onChange={(event) => {
              setSearch(event.target.value);
            }}
          />
          <kbd>/</kbd>
        </label>
        <span className="faint" role="status">
          {search === ''
            ? `${total} resources in ${columns.length} ${columns.length === 1 ? 'wave' : 'waves'}`
            : `${columns.reduce((sum, { count }) => sum + count, 0)} of ${total}`}
        </span>
        <div className="toggle" role="group" aria-label="Zoom">
          <button
            type="button"
            className="icon-button"
            aria-label="Zoom out"
            onClick={() => {
              turn(-1);
            }}
            disabled={zoom === 0}
          >
            <Icon name="minus" />
          </button>
          <button
            type="button"
            className="icon-button zoom-value"
            title="Reset zoom"
            onClick={() => {
              setZoom(4);
            }}
          >
            {Math.round((ZOOMS[zoom] ?? 1) * 100)}%
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label="Zoom in"
            onClick={() => {
              turn(1);
            }}
            disabled={zoom === ZOOMS.length - 1}
          >
            <Icon name="plus" />
          </button>
        </div>
      </div>
      <div
        className="waves"
        tabIndex={0}
        role="group"
        aria-label="Resources by wave"
        style={{ zoom: ZOOMS[zoom] ?? 1 }}
      >
        {columns.map((column) => (
          <Column
            key={column.wave}
            column={column}
            gate={gates.get(column.wave)}
            isSearched={search !== ''}
            isOnly={columns.length === 1}
            onOpen={onOpen}
          />
        ))}
        {columns.length === 0 ? <Empty icon="search" title={`No resource matches “${search}”`} /> : null}
      </div>
    </div>
  );
}

function Column({
  column,
  gate,
  isSearched,
  isOnly,
  onOpen,
}: {
  readonly column: WaveColumn;
  readonly gate: WaveGate | undefined;
  readonly isSearched: boolean;
  readonly isOnly: boolean;
  readonly onOpen: (item: TreeItem) => void;
}): ReactNode {
  return (
    <section className={`wave${isOnly ? ' is-only' : ''}`} aria-label={`Wave ${column.wave}`}>
      <header className="wave-head">
        <h2>Wave {column.wave}</h2>
        <span className="faint">{column.count}</span>
      </header>
      {gate === undefined ? null : (
        <p className={`wave-gate${gate.isHeld ? ' is-held' : ''}`}>
          <Icon name="wait" size={14} />
          <span>{gate.says}</span>
        </p>
      )}
      <ul className="wave-groups">
        {column.groups.map((group) => (
          <Group
            key={group.kind}
            group={group}
            isOpened={isSearched || group.items.length <= MAX_OPEN}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </section>
  );
}

function Group({
  group,
  isOpened,
  onOpen,
}: {
  readonly group: TreeGroup;
  readonly isOpened: boolean;
  readonly onOpen: (item: TreeItem) => void;
}): ReactNode {
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const isOpen = chosen ?? isOpened;
  // What is not well is never hidden.
  const shown = isOpen
    ? group.items
    : group.items
        .filter(({ health, sync }) => !['Healthy', ''].includes(health) || sync === 'OutOfSync')
        .slice(0, MAX_OPEN);
  return (
    <li className="kind-group">
      {group.items.length > 1 ? (
        <button
          type="button"
          className="kind-head"
          aria-expanded={isOpen}
          onClick={() => {
            setChosen(!isOpen);
          }}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
          <span>{group.kind}</span>
          <span className="faint">{group.items.length}</span>
          <span className="kind-marks">
            <Marks items={group.items} />
          </span>
        </button>
      ) : null}
      {shown.length === 0 ? null : (
        <ul className="kind-items">
          {shown.map((item) => (
            <li key={item.id}>
              <ResourceCard item={item} hasKind={group.items.length === 1} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** How many of each health, as shapes with a number. */
function Marks({ items }: { readonly items: readonly TreeItem[] }): ReactNode {
  const counts = new Map<string, number>();
  for (const { health, sync } of items) {
    if (health !== '') counts.set(health, (counts.get(health) ?? 0) + 1);
    if (sync === 'OutOfSync') counts.set(sync, (counts.get(sync) ?? 0) + 1);
  }
  return [...counts].map(([state, count]) => (
    <span key={state} className="mark-count" title={`${count} ${state}`}>
      <Shape state={state} label={state} />
      {count}
    </span>
  ));
}

function ResourceCard({
  item,
  hasKind,
  onOpen,
}: {
  readonly item: TreeItem;
  readonly hasKind: boolean;
  readonly onOpen: (item: TreeItem) => void;
}): ReactNode {
  const isFine = ['Healthy', ''].includes(item.health);
  return (
    <div className={`resource${isFine ? '' : ` is-marked tone-of-${item.health}`}`}>
      <button
        type="button"
        className="resource-head"
        onClick={() => {
          onOpen(item);
        }}
      >
        <Shape state={item.health === '' ? item.sync || 'Unknown' : item.health} />
        <span className="resource-name">
          <span className="cut">{item.ref.name}</span>
          {hasKind ? <span className="faint cut">{item.ref.kind}</span> : null}
        </span>
        {item.isHook ? <span className="pill">hook</span> : null}
        {item.sync === 'OutOfSync' && item.health !== '' ? <Shape state="OutOfSync" /> : null}
        <span className="sr-only">{described(item)}</span>
      </button>
      {isFine || item.message === '' ? null : <p className="resource-why">{item.message}</p>}
      {item.children.length === 0 ? null : <Children items={item.children} onOpen={onOpen} />}
    </div>
  );
}

const MAX_CHILDREN = 6;

/** What controllers made of it; many of one kind become a row of shapes. */
function Children({
  items,
  onOpen,
}: {
  readonly items: readonly TreeItem[];
  readonly onOpen: (item: TreeItem) => void;
}): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, MAX_CHILDREN);
  return (
    <ul className="below">
      {shown.map((item) => (
        <li key={item.id}>
          <button
            type="button"
            className="below-item"
            onClick={() => {
              onOpen(item);
            }}
          >
            {item.health === '' ? <span className="dot" /> : <Shape state={item.health} />}
            <span className="faint">{item.ref.kind}</span>
            <span className="cut">{item.ref.name}</span>
            {item.info.length > 0 ? <span className="faint below-info">{item.info[item.info.length - 1]}</span> : null}
            <span className="sr-only">{described(item)}</span>
          </button>
          {item.children.length === 0 ? null : <Children items={item.children} onOpen={onOpen} />}
        </li>
      ))}
      {items.length > shown.length ? (
        <li>
          <button
            type="button"
            className="below-more"
            onClick={() => {
              setWhole(true);
            }}
          >
            {items.length - shown.length} more
          </button>
        </li>
      ) : null}
    </ul>
  );
}

/** What the shapes say, in words. */
function described({ health, sync }: TreeItem): string {
  return [health, sync]
    .filter((word) => word !== '')
    .map((word) => `, ${word}`)
    .join('');
}
