import type { FleetResponse, FleetRow } from '../../src/model/api/index.js';

/** What the reader looks for; it stands in the address, so a link shows the same. */
export interface Filter {
  readonly search: string;
  readonly sync: string;
  readonly health: string;
  readonly project: string;
  readonly cluster: string;
  readonly namespace: string;
}

export const PAGE_SIZE = 100;

export function readFilter(query: URLSearchParams): Filter {
  const of = (name: string): string => query.get(name) ?? '';
  return {
    search: of('search'),
    sync: of('sync'),
    health: of('health'),
    project: of('project'),
    cluster: of('cluster'),
    namespace: of('namespace'),
  };
}

export const HEALTHS = ['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Missing', 'Unknown'] as const;
export const SYNCS = ['Synced', 'OutOfSync', 'Unknown'] as const;

/** Pages as they came, by their number; a new total or filter makes them old. */
export interface Pages {
  readonly total: number;
  readonly rows: ReadonlyMap<number, FleetRow>;
}

export const NO_PAGES: Pages = { total: 0, rows: new Map() };

export function addPage({ rows }: Pages, answer: FleetResponse, offset: number): Pages {
  const next = new Map([...rows].filter(([index]) => index < answer.total));
  answer.items.forEach((row, index) => {
    next.set(offset + index, row);
  });
  return { total: answer.total, rows: next };
}

export function applicationPath({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `/applications/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}
