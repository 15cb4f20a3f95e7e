import type { Key } from '../../model/kubernetes/index.js';
import { findCauses, explainFindings } from '../causes/index.js';
import { edgesOf, Graph, nodeText } from '../graph/index.js';
import { causeId, type Report, type ReportedCause, triage, type TriageOptions } from '../report/index.js';
import { unpullableImages } from '../rules/index.js';
import type { Snapshot } from '../snapshot/index.js';
import { RuleEngine } from '../findings/index.js';
import { asHealthy } from './as-healthy.js';
import { absentReferences, findPodObstacles } from './pod-obstacles.js';
import { simulateRepair, type Repair } from './simulate-repair.js';

/** The expected result of a repair. */
export interface Expectation {
  /** The finding would be gone. */
  readonly vanishes: boolean;
  /** Why it would not. */
  readonly obstacles: readonly string[];
  /** What would be revealed, or still blocks the affected applications. */
  readonly next: readonly string[];
}

/** Tries repairs on a snapshot: each alone, never on a cluster. */
export class WhatIf {
  readonly #snapshot: Snapshot;
  readonly #options: TriageOptions;
  readonly #report: Report;
  readonly #sufferers = new Map<string, Map<string, Key>>();
  readonly #inVain: ReadonlySet<string>;

  constructor(snapshot: Snapshot, report: Report, options: TriageOptions) {
    this.#snapshot = snapshot;
    this.#options = options;
    this.#report = report;
    const { rules, ...services } = options;
    const graph = new Graph(snapshot, edgesOf);
    const points = explainFindings(graph, new RuleEngine(graph, rules(services)));
    const { behind } = findCauses(points, graph);
    for (const point of points) {
      // An application with two causes needs both fixes.
      const [only, ...others] = behind.get(point) ?? [];
      if (only === undefined || others.length > 0 || point.finding.node.state === 'virtual') continue;
      const id = causeId(only.key);
      const known = this.#sufferers.get(id) ?? new Map<string, Key>();
      known.set(point.finding.node.id, point.finding.node.key);
      this.#sufferers.set(id, known);
    }
    this.#inVain = new Set(graph.store.ofKind('', 'Pod').flatMap(unpullableImages));
  }

  /** What triage would find after the repair of a cause of the report. */
  expect({ id }: Pick<ReportedCause, 'id'>, repair: Repair): Expectation {
    const cause = this.#report.causes.find((each) => each.id === id);
    if (cause === undefined) return { vanishes: true, obstacles: [], next: [] };
    if (repair.edits.length + repair.adds.length + repair.actions.length === 0)
      return { vanishes: false, obstacles: ['nothing would change'], next: [] };
    const sufferers = new Map([...(this.#sufferers.get(cause.id) ?? [])]);
    const { snapshot, pods, touched } = simulateRepair(this.#snapshot, repair, sufferers);
    const graph = new Graph(snapshot, edgesOf);
    const made = pods
      .flatMap((id) => graph.store.byId(id) ?? [])
      .flatMap((pod) => findPodObstacles(pod, graph, this.#inVain));
    // Those that only suffered go on as they are: what they need must be there.
    const kept = [...sufferers.keys()]
      .flatMap((id) => graph.store.byId(id) ?? [])
      .filter(({ key, object }) => key.kind === 'Pod' && object !== undefined)
      .flatMap((pod) => absentReferences(pod, graph));
    const obstacles = [...new Set([...made, ...kept, ...stillUsed(graph, touched)])];
    const settled = {
      ...snapshot,
      objects: snapshot.objects.map((object) =>
        pods.some((id) => id.endsWith(`/${object.metadata.name ?? ''}`)) && object.kind === 'Pod'
          ? asHealthy(object, snapshot.time)
          : object,
      ),
    };
    const after = triage(settled, this.#options);
    const stays = after.causes.some((each) => isSameCause(each, cause));
    const known = new Set(this.#report.causes.map(({ id }) => id));
    const fresh = after.causes
      .filter((each) => !known.has(each.id) && !isSameCause(each, cause) && each.severity !== 'P3')
      .map(({ title }) => title);
    return {
      vanishes: !stays && obstacles.length === 0,
      obstacles: stays ? [`still: ${cause.title}`, ...obstacles] : obstacles,
      next: [...new Set([...fresh, ...cause.next.map(({ says }) => says)])],
    };
  }
}

/** Objects that a repair removes although running pods use them: the deletion would hang, and new pods would fail. */
function stillUsed(graph: Graph, touched: ReadonlySet<string>): string[] {
  const gone = new Set([...touched].filter((id) => graph.store.byId(id)?.object === undefined));
  if (gone.size === 0) return [];
  return graph.store.ofKind('', 'Pod').flatMap((pod) =>
    graph
      .edges(pod)
      .filter(({ to, hard, type }) => hard && type !== 'owner' && gone.has(to.id))
      .map(({ to }) => `${nodeText(pod)} still uses ${nodeText(to)}`),
  );
}

/** The same cause: by its identifier, or the same rule about one of the same objects. */
export function isSameCause(one: ReportedCause, other: ReportedCause): boolean {
  if (one.id === other.id) return true;
  return (
    one.rule === other.rule &&
    one.field === other.field &&
    one.objects.some((a) =>
      other.objects.some((b) => a.kind === b.kind && a.namespace === b.namespace && a.name === b.name),
    )
  );
}
