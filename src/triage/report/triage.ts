import {
  reverse,
  trailOf,
  type Trail,
  findCauses,
  explainFindings,
  LookAhead,
  impactOf,
  rankCauses,
  countUnits,
  reachOf,
} from '../causes/index.js';
import { edgesOf, Graph } from '../graph/index.js';
import { makeReport } from './make-report.js';
import type { Report } from './report.js';
import type { Snapshot } from '../snapshot/index.js';
import { RuleEngine, type RuleServices, type RuleSet } from '../findings/index.js';

export interface TriageOptions extends RuleServices {
  readonly rules: (aids: RuleServices) => RuleSet;
}

const NO_TRAIL: Trail = { hops: [], consequences: [], worstGrade: 'D' };

/** From a snapshot to the few causes behind all that is wrong in it. */
export function triage(snapshot: Snapshot, { rules, ...aids }: TriageOptions): Report {
  const graph = new Graph(snapshot, edgesOf);
  const judge = new RuleEngine(graph, rules(aids));
  const points = explainFindings(graph, judge);
  const map = findCauses(points, graph);
  const reach = reachOf(points, map, graph);
  const back = reverse(points);
  const trails = map.causes.map((cause) => trailOf(cause, back, map.order));
  const weighed = map.causes.map(
    (cause, index) =>
      ({
        cause,
        reach: reach[index] ?? new Map(),
        worstGrade: trails[index]?.worstGrade ?? 'D',
        length: trails[index]?.hops.length ?? 0,
        impact: impactOf(
          cause.finding,
          (trails[index]?.consequences ?? []).map(({ finding }) => finding),
        ),
      }) as const,
  );
  const ahead = new LookAhead(points, map, graph, judge);
  const byKey = new Map(
    map.causes.map((cause, index) => [
      cause.key,
      {
        trail: trails[index] ?? NO_TRAIL,
        next: ahead.after(index, [...cause.members, ...(trails[index]?.consequences ?? [])]),
      },
    ]),
  );
  const told = rankCauses(weighed, countUnits(graph)).map((ranked) => ({
    ranked,
    ...(byKey.get(ranked.cause.key) ?? { trail: NO_TRAIL, next: [] }),
  }));
  return makeReport(snapshot, graph, told, (id) => {
    const node = graph.store.byId(id);
    return node !== undefined && judge.findings(node).length === 0;
  });
}
