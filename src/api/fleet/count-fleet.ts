import type { FleetCounts, FleetRow } from '../../model/api/index.js';

/** What a fleet counts to: numbers by state, and the names that a filter can choose from. */
export function countFleet(rows: readonly FleetRow[]): FleetCounts {
  const tally = (pick: (row: FleetRow) => string): Record<string, number> => {
    const counts = new Map<string, number>();
    for (const row of rows) counts.set(pick(row), (counts.get(pick(row)) ?? 0) + 1);
    return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  const names = (pick: (row: FleetRow) => string): string[] =>
    [...new Set(rows.map(pick))].filter((name) => name !== '').sort();
  return {
    all: rows.length,
    sync: tally(({ sync }) => sync),
    health: tally(({ health }) => health),
    projects: names(({ project }) => project),
    clusters: names(({ cluster }) => cluster),
    namespaces: names(({ destinationNamespace }) => destinationNamespace),
  };
}
