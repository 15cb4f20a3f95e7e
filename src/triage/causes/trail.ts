import { APPLICATION, type Graph, type Edge, type Grade } from '../graph/index.js';
import type { Cause } from './find-causes.js';
import type { Point, CauseEdge } from './explain-findings.js';

/** One step from a symptom towards the cause. */
export interface Hop {
  readonly point: Point;
  /** What led here; undefined for the first. */
  readonly edge: Edge | undefined;
}

/** The path from a symptom to a cause, and everything that the cause affects. */
export interface Trail {
  readonly hops: readonly Hop[];
  readonly consequences: readonly Point[];
  readonly worstGrade: Grade;
}

export type Reverse = ReadonlyMap<Point, readonly { readonly from: Point; readonly edge: Edge }[]>;

export function reverse(points: readonly Point[]): Reverse {
  const map = new Map<Point, { from: Point; edge: Edge }[]>();
  for (const from of points) {
    for (const { to, edge } of from.because) {
      const list = map.get(to);
      if (list === undefined) map.set(to, [{ from, edge }]);
      else list.push({ from, edge });
    }
  }
  return map;
}

/**
 * Walks back from a cause to everything that it explains; the shown chain is the longest, from an application where one
 * is reached.
 */
export function trailOf({ members }: Cause, back: Reverse, order: ReadonlyMap<Point, number>): Trail {
  const reached = new Set(members);
  for (const to of reached) for (const { from } of back.get(to) ?? []) reached.add(from);
  const own = new Set(members);
  const steps = longestSteps(reached, own, order);
  const consequences = [...reached].filter((point) => !own.has(point)).sort((a, b) => a.index - b.index);
  const proved = hopsFrom(startOf([...reached], steps), steps);
  // An inferred path does not make a proven cause doubtful; the path is shown anyway.
  const hops = proved.length > 1 || consequences.length === 0 ? proved : hopsFrom(startOf(consequences, steps), steps);
  return { hops, consequences, worstGrade: worstOf(proved) };
}

interface TrailStep {
  readonly length: number;
  readonly worst: Grade;
  readonly step: CauseEdge | undefined;
}

/** Proven paths before inferred ones, then longer paths, which explain more. */
function isBetter(a: TrailStep, b: TrailStep): boolean {
  const [guessA, guessB] = [a.worst > 'B', b.worst > 'B'];
  return guessA === guessB ? a.length > b.length : guessB;
}

const NO_STEP: TrailStep = { length: 0, worst: 'A', step: undefined };

/** For each point the step on the longest path to the cause; inside a cycle no path is longer than its start. */
function longestSteps(
  reached: ReadonlySet<Point>,
  own: ReadonlySet<Point>,
  order: ReadonlyMap<Point, number>,
): Map<Point, TrailStep> {
  const place = (point: Point): number => order.get(point) ?? 0;
  const steps = new Map<Point, TrailStep>();
  for (const point of [...reached].sort((a, b) => place(a) - place(b) || a.index - b.index)) {
    let best: TrailStep | undefined;
    for (const step of own.has(point) ? [] : point.because) {
      const next = steps.get(step.to);
      if (next === undefined) continue;
      const way: TrailStep = {
        length: next.length + 1,
        worst: next.worst > step.edge.grade ? next.worst : step.edge.grade,
        step,
      };
      if (best === undefined || isBetter(way, best)) best = way;
    }
    steps.set(point, best ?? NO_STEP);
  }
  return steps;
}

function startOf(reached: readonly Point[], steps: ReadonlyMap<Point, TrailStep>): Point | undefined {
  const apps = reached.filter(({ finding }) => finding.node.key.kind === APPLICATION.kind);
  const wayOf = (point: Point): TrailStep => steps.get(point) ?? NO_STEP;
  const compare = (a: Point, b: Point): number => {
    if (isBetter(wayOf(a), wayOf(b))) return -1;
    return isBetter(wayOf(b), wayOf(a)) ? 1 : a.index - b.index;
  };
  return [...(apps.length > 0 ? apps : reached)].sort(compare)[0];
}

function hopsFrom(start: Point | undefined, steps: ReadonlyMap<Point, TrailStep>): Hop[] {
  const hops: Hop[] = [];
  let edge: Edge | undefined;
  for (let point = start; point !== undefined; ) {
    hops.push({ point, edge });
    const next: CauseEdge | undefined = steps.get(point)?.step;
    edge = next?.edge;
    point = next?.to;
  }
  return hops;
}

const GRADES: readonly Grade[] = ['A', 'B', 'C', 'D'];

function worstOf(hops: readonly Hop[]): Grade {
  return GRADES[Math.max(0, ...hops.map(({ edge }) => GRADES.indexOf(edge?.grade ?? 'A')))] ?? 'D';
}

/** What was checked on the path and is fine, and what could not be checked. */
export function inspectedOnTrail(
  hops: readonly Hop[],
  graph: Graph,
  isFine: (id: string) => boolean,
): { readonly cleared: string[]; readonly unverified: string[] } {
  const [cleared, unverified] = [new Set<string>(), new Set<string>()];
  for (const { point } of hops) {
    for (const edge of graph.edges(point.finding.node)) {
      if (!edge.hard || edge.type === 'owner' || edge.to.state === 'virtual') continue;
      const name =
        edge.to.key.namespace === ''
          ? `${edge.to.key.kind} ${edge.to.key.name}`
          : `${edge.to.key.kind} ${edge.to.key.namespace}/${edge.to.key.name}`;
      if (edge.to.state === 'unknown') unverified.add(name);
      else if (edge.to.state === 'present' && isFine(edge.to.id)) cleared.add(name);
    }
  }
  return { cleared: [...cleared].sort().slice(0, 8), unverified: [...unverified].sort().slice(0, 8) };
}
