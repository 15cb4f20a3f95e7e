import type { TriageService } from '../../../control/index.js';
import type { FleetResponse, FleetCounts, FleetRow } from '../../../model/api/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { APPLICATION, type Authoriser } from '../../access/index.js';
import { visibleTo } from '../../causes/index.js';
import { filterBy } from '../../applications/index.js';
import { countFleet, fleetRow } from '../../fleet/index.js';
import { json } from '../../http/index.js';
import { route, text, type ReadServices, type Route } from '../../route/index.js';
import { filterOf } from '../applications/read.js';
import { FILTERS, PAGE } from '../applications/parameters.js';

const SORTS: Readonly<Record<string, (a: FleetRow, b: FleetRow) => number>> = {
  worst: (a, b) => severityRank(a) - severityRank(b) || order(a.name, b.name),
  name: (a, b) => order(a.name, b.name),
  project: (a, b) => order(a.project, b.project),
  sync: (a, b) => order(a.sync, b.sync),
  health: (a, b) => order(a.health, b.health),
  deployedAt: (a, b) => order(b.deployedAt, a.deployedAt),
};

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const HEALTHS_WORST_FIRST = ['Degraded', 'Unknown', 'Missing', 'Suspended', 'Progressing'];

/** Broken ones first, then OutOfSync, then Progressing. */
function severityRank({ health, sync }: FleetRow): number {
  if (health === 'Progressing' && sync === 'Synced') return HEALTHS_WORST_FIRST.length;
  const at = HEALTHS_WORST_FIRST.indexOf(health);
  if (at >= 0) return at;
  return sync === 'Synced' ? HEALTHS_WORST_FIRST.length + 1 : HEALTHS_WORST_FIRST.indexOf('Progressing');
}

export const FLEET_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/fleet', {
    summary: 'A page of application summaries, each with its cause, and the counts of all.',
    tag: 'explain',
    access: { each: APPLICATION, action: 'get' },
    query: { ...FILTERS, ...PAGE, sort: text('', { choices: Object.keys(SORTS) }) },
    handle: async ({ access, subject, services, authoriser, server: { triage }, query }) => {
      const visible = access.visibilityOf(subject).filter(services.applications.list());
      const fits = filterBy(filterOf(query));
      const found = visible.filter(fits).map(fleetRow);
      const { limit = 0, offset = 0, sort = 'name' } = query;
      const sorted = sort === 'name' ? found : found.sort(SORTS[sort]);
      const page = limit === 0 ? sorted.slice(offset) : sorted.slice(offset, offset + limit);
      // Something is unhealthy: start triage, so that the next answer has the causes.
      if (page.some(({ cause }) => cause !== '')) triage.latestReport().catch(() => undefined);
      const causes = await rootCauses(triage, authoriser, services);
      const answer: FleetResponse = {
        total: found.length,
        items: page.map((row) => (row.cause === '' ? row : { ...row, cause: causes.get(row.name) ?? row.cause })),
        counts: countsOf(visible),
        isExplained: triage.latest !== undefined,
      };
      return json(answer);
    },
  }),
];

let counted: { readonly of: readonly KubeObject[]; readonly counts: FleetCounts } | undefined;

/** Most callers see the same applications: they are counted once. */
function countsOf(visible: readonly KubeObject[]): FleetCounts {
  if (counted?.of !== visible) counted = { of: visible, counts: countFleet(visible.map(fleetRow)) };
  return counted.counts;
}

/** The first cause of each application, as the last triage found it. */
async function rootCauses(
  { latest }: TriageService,
  ...reader: [Authoriser, ReadServices]
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const sure = (latest?.causes ?? []).filter(({ confidence }) => confidence === 'sure');
  const filter = await visibleTo(...reader, sure);
  for (const cause of sure) {
    const title = filter.title(cause);
    if (title === undefined) continue;
    for (const name of cause.reach.names) if (!found.has(name)) found.set(name, title);
  }
  return found;
}
