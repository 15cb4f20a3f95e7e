import type { Catalogue, CatalogueEntry } from '../../health/index.js';
import { formatTable } from '../output/index.js';

interface Row {
  readonly group: string;
  readonly kind: string;
  readonly check: string;
  readonly actions: readonly string[];
  readonly about: string;
}

/** Every kind of the catalogue, with how it is judged and what can be done with it. */
export function listCatalogue(catalogue: Catalogue, output: string | undefined): string {
  const rows = new Map<string, Row>();
  for (const entry of catalogue.entries) {
    for (const group of entry.groups) {
      for (const kind of entry.kinds) addRow(rows, entry, group, kind);
    }
  }
  const sorted = [...rows.keys()].sort().flatMap((key) => rows.get(key) ?? []);
  if (output === 'json') return `${JSON.stringify(sorted, null, 2)}\n`;
  if (output === 'name') return sorted.map(({ group, kind }) => `${group === '' ? '' : `${group}/`}${kind}\n`).join('');
  const wide = output === 'wide';
  return formatTable(
    ['GROUP', 'KIND', 'CHECK', 'ACTIONS', ...(wide ? ['ABOUT'] : [])],
    sorted.map(({ group, kind, check, actions, about }) => [
      group,
      kind,
      check,
      actions.join(','),
      ...(wide ? [about] : []),
    ]),
  );
}

function addRow(rows: Map<string, Row>, entry: CatalogueEntry, group: string, kind: string): void {
  const key = `${group}/${kind}`;
  const before = rows.get(key);
  rows.set(key, {
    group,
    kind,
    check: entry.health?.by ?? before?.check ?? '',
    actions: [...(before?.actions ?? []), ...(entry.actions?.keys() ?? [])],
    about: entry.health === undefined && before !== undefined ? before.about : entry.about,
  });
}
