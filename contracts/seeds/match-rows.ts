import type { Unit, UnitKind } from './document.js';
import type { Row } from './read-rows.js';

/** What a row of a kind may stand for: any point of a list can be advice. */
const STANDS_FOR: Readonly<Record<UnitKind, readonly UnitKind[]>> = {
  heading: ['heading'],
  'table-row': ['table-row'],
  code: ['code'],
  command: ['command'],
  checklist: ['checklist'],
  recommendation: ['recommendation', 'item'],
  decision: ['decision', 'item'],
  item: ['item'],
};

/** What is wrong between a document and its rows: a line without a row, a row without a line, two of them for one. */
export function matchRows(units: readonly Unit[], rows: readonly Row[]): string[] {
  const wrong: string[] = [];
  const taken = new Map<Unit, Row>();
  for (const row of rows) {
    const found = units.filter(
      (unit) => STANDS_FOR[row.kind].includes(unit.kind) && row.from <= unit.from && unit.to <= row.to,
    );
    if (found.length === 0) wrong.push(`${place(row)} ${row.kind}: the row points at nothing`);
    // A list of names is one thing; anything else has a row of its own.
    if (found.length > 1 && row.kind !== 'item')
      wrong.push(
        `${place(row)} ${row.kind}: the row covers lines ${found.map(({ from }) => from).join(', ')}; each ` +
          'wants its own',
      );
    for (const unit of found) {
      if (taken.has(unit)) wrong.push(`${place(row)} ${row.kind}: line ${unit.from} has two rows`);
      taken.set(unit, row);
    }
  }
  for (const unit of units)
    if (!taken.has(unit))
      wrong.push(
        `${rows[0]?.seed ?? '?'}:${unit.from === unit.to ? unit.from : `${unit.from}-${unit.to}`} ` +
          `${unit.kind} has no row`,
      );
  return wrong;
}

export function place({ seed, from, to }: Row): string {
  return `${seed}:${from === to ? from : `${from}-${to}`}`;
}
