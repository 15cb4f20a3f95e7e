import type { Graph, Edge, Node } from '../graph/index.js';
import type { Finding, RuleEngine } from '../findings/index.js';

/** A finding as a point of the graph of causes. */
export interface Point {
  readonly index: number;
  readonly finding: Finding;
  /** Findings that explain this one, with the edge that leads there. */
  readonly because: CauseEdge[];
  /** Dependencies that could not be read. */
  readonly unverified: readonly Edge[];
}

export interface CauseEdge {
  readonly to: Point;
  readonly edge: Edge;
}

/** All findings of the objects in the snapshot and of what they need, linked by which explains which. */
export function explainFindings(graph: Graph, engine: RuleEngine): Point[] {
  const points: Point[] = [];
  const byNode = new Map<string, Point[]>();
  const queue: Node[] = [];
  const pointsOf = (node: Node): Point[] => {
    const known = byNode.get(node.id);
    if (known !== undefined) return known;
    const found = engine.findings(node).map((finding): Point => ({ index: 0, finding, because: [], unverified: [] }));
    byNode.set(node.id, found);
    if (found.length > 0) queue.push(node);
    return found;
  };
  for (const node of graph.store.all()) pointsOf(node);
  for (let next = 0; next < queue.length; next++) {
    const node = queue[next];
    if (node === undefined) continue;
    const edges = graph.edges(node);
    for (const point of pointsOf(node)) connect(point, edges, pointsOf);
  }
  for (const node of [...queue].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    for (const point of byNode.get(node.id) ?? []) points.push(Object.assign(point, { index: points.length }));
  }
  return points;
}

/** A finding is explained by what its phase needs; an object that it names comes first. */
function connect(point: Point, edges: readonly Edge[], pointsOf: (node: Node) => Point[]): void {
  const { finding } = point;
  if (finding.kind === 'leaf') return;
  const seen = new Set<string>();
  const unverified: Edge[] = [];
  const add = (edge: Edge): void => {
    if (seen.has(edge.to.id) || edge.to.id === finding.node.id) return;
    seen.add(edge.to.id);
    // Something harmless by itself, such as a workload scaled to zero, is a cause for what names it or depends on it.
    const isNamed = finding.target?.id === edge.to.id || edge.type === 'data';
    for (const to of pointsOf(edge.to))
      if (to.finding.impact !== 'note' || to.finding.level === 'waiting' || isNamed) point.because.push({ to, edge });
  };
  for (const edge of edges) {
    if (!edge.hard || !edge.phases.includes(finding.phase)) continue;
    if (finding.target !== undefined && finding.target.id !== edge.to.id) continue;
    if (edge.to.state === 'unknown') unverified.push(edge);
    add(edge);
  }
  const { target } = finding;
  if (target !== undefined && !seen.has(target.id))
    add({ to: target, field: '', type: 'config', phases: [finding.phase], hard: true, grade: 'B' });
  dropInferred(point);
  Object.assign(point, { unverified });
}

/** Inferred edges count only if there are no proven ones. */
function dropInferred(point: Point): void {
  const isSure = ({ edge }: CauseEdge): boolean => edge.grade === 'A' || edge.grade === 'B';
  if (!point.because.some(isSure)) return;
  point.because.splice(0, point.because.length, ...point.because.filter(isSure));
}
