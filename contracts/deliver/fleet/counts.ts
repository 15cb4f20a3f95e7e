import type { ApplicationStatus } from '../../faults/application.js';

/** How many applications are how: the summary of the inventory, which is its first table. */
export interface FleetCounts {
  readonly total: number;
  readonly healthySynced: number;
  readonly degraded: number;
  readonly missing: number;
  readonly outOfSync: number;
  readonly progressing: number;
}

export function countFleet(shown: ReadonlyMap<string, ApplicationStatus>): FleetCounts {
  const all = [...shown.values()];
  const count = (is: (one: ApplicationStatus) => boolean): number => all.filter(is).length;
  return {
    total: all.length,
    healthySynced: count(({ sync, health }) => sync === 'Synced' && health === 'Healthy'),
    degraded: count(({ health }) => health === 'Degraded'),
    missing: count(({ health }) => health === 'Missing'),
    outOfSync: count(({ sync }) => sync === 'OutOfSync'),
    progressing: count(({ health }) => health === 'Progressing'),
  };
}

/** In the layout of the inventory. */
export function countLines(counts: FleetCounts): string[] {
  return [
    `Total applications: ${counts.total}`,
    `- Healthy/Synced: ${counts.healthySynced}`,
    `- Degraded: ${counts.degraded}`,
    `- Missing: ${counts.missing}`,
    `- OutOfSync: ${counts.outOfSync}`,
    `- Progressing: ${counts.progressing}`,
  ];
}
