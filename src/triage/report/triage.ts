import {
  reverse,
  trailOf,
  findCauses,
  explainFindings,
  LookAhead,
  impactOf,
  rankCauses,
  countUnits,
  reachOf,
  type Unit,
} from '../causes/index.js';
import { edgesOf, Graph } from '../graph/index.js';
import { makeReport } from './make-report.js';
import type { Report } from './report.js';
import type { Snapshot } from '../snapshot/index.js';
import { RuleEngine, type RuleServices, type RuleSet } from '../findings/index.js';

export interface TriageOptions extends RuleServices {
  readonly rules: (services: RuleServices) => RuleSet;
}

/** From a snapshot to the few causes behind all that is wrong in it. */
export function triage(snapshot: Snapshot, { rules, ...services }: TriageOptions): Report {
  const graph = new Graph(snapshot, edgesOf);
  const engine = new RuleEngine(graph, rules(services));
  const points = explainFindings(graph, engine);
  const map = findCauses(points, graph);
  const reach = reachOf(points, map, graph);
  const back = reverse(points);
  const ahead = new LookAhead(points, map, graph, engine);
  const traced = map.causes.map((cause) => {
    const trail = trailOf(cause, back, map.order);
    return {
      cause,
      trail,
      reach: reach.get(cause) ?? new Map<string, Unit>(),
      worstGrade: trail.worstGrade,
      length: trail.hops.length,
      impact: impactOf(
        cause.finding,
        trail.consequences.map(({ finding }) => finding),
      ),
      next: ahead.after(cause, [...cause.members, ...trail.consequences]),
    };
  });
  return makeReport(snapshot, graph, rankCauses(traced, countUnits(graph)), (id) => {
    const node = graph.store.byId(id);
    return node !== undefined && engine.findings(node).length === 0;
  });
}
