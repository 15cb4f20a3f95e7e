import { type Graph, CUT_COST, type Node } from '../graph/index.js';
import { textAt } from '../json/index.js';
import type { Action, Finding, Fix } from '../findings/index.js';
import { dropGuessedCycles } from './connected-components.js';
import type { Point, CauseEdge } from './explain-findings.js';
import { editsOf, namePlaces } from './renaming.js';

/** A cause before it is ranked: findings that end the search, as one. */
export interface Cause {
  /** The same for the same cause in the same cluster. */
  readonly key: string;
  readonly kind: 'fault' | 'circle' | 'unexplained' | 'waiting';
  /** The most specific finding. */
  readonly finding: Finding;
  readonly members: readonly Point[];
  /** Objects to change. */
  readonly blamed: readonly Node[];
  /** Where a circle is cut at the least cost. */
  readonly cut?: { readonly from: Point; readonly step: CauseEdge };
}

export interface CauseMap {
  readonly causes: readonly Cause[];
  /** Which of the causes are behind each finding. */
  readonly behind: ReadonlyMap<Point, ReadonlySet<Cause>>;
  /** Causes before consequences; points that wait for each other have the same place. */
  readonly order: ReadonlyMap<Point, number>;
}

/** Finds where the search for causes ends, and joins ends that are one cause. */
export function findCauses(points: readonly Point[], graph: Graph): CauseMap {
  const parts = dropGuessedCycles(points);
  const groups = new Map<string, { points: Point[]; isCircle: boolean }>();
  const partKeys = new Map<Point, string>();
  for (const part of parts) {
    const inside = new Set(part);
    if (part.some(({ because }) => because.some(({ to }) => !inside.has(to)))) continue;
    const key =
      part.length > 1
        ? `circle|${part
            .map(({ finding }) => finding.node.id)
            .sort()
            .join('|')}`
        : keyOf(part, graph);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { points: [...part], isCircle: part.length > 1 });
    else group.points.push(...part);
    for (const point of part) partKeys.set(point, key);
  }
  const referrers = referrersOf(points);
  const candidates = [...groups.keys()]
    .sort()
    .map((key) =>
      blameReferrers(causeOf(key, groups.get(key) ?? { points: [], isCircle: false }, graph), referrers, graph),
    );
  const proved = new Map(
    candidates.filter(({ finding }) => finding.suspect !== true).map((cause) => [placeOf(cause), cause.key]),
  );
  // A lead to a field that is proved to be the cause is that cause.
  const sameAs = (cause: Cause): string =>
    (cause.finding.suspect === true ? proved.get(placeOf(cause)) : undefined) ?? cause.key;
  const causes = candidates.filter((cause) => sameAs(cause) === cause.key);
  const kept = new Map(causes.map((cause) => [cause.key, cause]));
  const byKey = new Map(
    candidates.flatMap((candidate) => {
      const cause = kept.get(sameAs(candidate));
      return cause === undefined ? [] : [[candidate.key, cause] as const];
    }),
  );
  return {
    causes,
    behind: spread(parts, partKeys, byKey),
    order: new Map(parts.flatMap((part, place) => part.map((point) => [point, place] as const))),
  };
}

function placeOf({ blamed, finding }: Cause): string {
  return `${blamed.map(({ id }) => id).join('|')} ${finding.field ?? ''}`;
}

function keyOf([point]: readonly Point[], graph: Graph): string {
  if (point === undefined) return '';
  const { finding } = point;
  if (finding.kind === 'delegating')
    return `${finding.level === 'waiting' ? 'waiting' : 'unexplained'}|${finding.rule}|${blamedBy(finding, graph).id}`;
  if (finding.signature !== undefined) return `${finding.rule}|common|${finding.signature}`;
  const field = finding.field ?? '';
  // One value of one object is one cause, whichever rules see it.
  const what = field.split('.').length > MAX_VALUE_DEPTH ? 'value' : finding.rule;
  return `${what}|${blamedBy(finding, graph).id}|${field}`;
}

/** A field so deep inside an object is a single value of it. */
const MAX_VALUE_DEPTH = 4;

/** Kinds that controllers create: the owner has to be changed, not the created object. */
const GENERATED_KINDS = new Set([
  'Pod',
  'ReplicaSet',
  'Job',
  'PersistentVolumeClaim',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
]);

/** The object to change: the one the rule blames, otherwise the owner of the pod. */
export function blamedBy(finding: Finding, graph: Graph): Node {
  if (finding.blamed !== undefined) return finding.blamed;
  return GENERATED_KINDS.has(finding.node.key.kind) ? graph.maker(finding.node) : finding.node;
}

function causeOf(
  key: string,
  { points, isCircle }: { readonly points: readonly Point[]; readonly isCircle: boolean },
  graph: Graph,
): Cause {
  const members = [...points].sort((a, b) => a.index - b.index);
  const [first] = members;
  if (first === undefined) throw new RangeError('a cause has at least one finding');
  const { finding } = first;
  if (isCircle) {
    const cut = cheapestCut(members);
    return {
      key,
      kind: 'circle',
      finding: cut?.from.finding ?? finding,
      members,
      blamed: unique(members.map((point) => point.finding.node)),
      ...(cut === undefined ? {} : { cut }),
    };
  }
  const blamed = unique(members.map((point) => blamedBy(point.finding, graph)));
  return { key, kind: causeKind(finding), finding, members, blamed };
}

function causeKind({ kind, level }: Finding): Cause['kind'] {
  if (level === 'waiting') return 'waiting';
  return kind === 'leaf' ? 'fault' : 'unexplained';
}

type Referrers = ReadonlyMap<Point, readonly { readonly from: Point; readonly field: string }[]>;

/** Who leads to each of the findings that are there for want of something. */
function referrersOf(points: readonly Point[]): Referrers {
  const map = new Map<Point, { from: Point; field: string }[]>();
  for (const from of points) {
    for (const { to, edge } of from.because)
      if (to.finding.isWrongName === true || isOutside(to))
        map.set(to, [...(map.get(to) ?? []), { from, field: edge.field }]);
  }
  return map;
}

/** If a name is wrong, the object that uses it has to be changed. */
function blameReferrers(cause: Cause, referrers: Referrers, graph: Graph): Cause {
  const using = cause.members.flatMap((point) => referrers.get(point) ?? []);
  const [first] = using;
  // A missing operator is no object: what waits for it is listed with it.
  if (first !== undefined && cause.members.every(isOutside))
    return { ...cause, blamed: unique([...cause.blamed, ...using.map(({ from }) => from.finding.node)]) };
  if (first === undefined || using.some(({ from }) => usesBoth(from.finding.node, cause.finding, graph))) return cause;
  const isPod = first.from.finding.node.key.kind === 'Pod';
  const { fix, rightName } = cause.finding;
  const places =
    rightName === undefined
      ? []
      : using.flatMap(({ from, field }) =>
          namePlaces(
            blamedBy(from.finding, graph),
            from.finding.node,
            field,
            { wrong: cause.finding.node.key.name, right: rightName },
            graph,
          ),
        );
  const users = unique(using.map(({ from }) => blamedBy(from.finding, graph)));
  // Where the name is written in something that the users only read, that is what has to be changed.
  const holders = unique(places.map(({ node }) => node)).filter((node) => !users.includes(node));
  const blamed = holders.length > 0 ? holders : users;
  const written = isPod && first.field.startsWith('spec.') ? `spec.template.${first.field}` : first.field;
  const [place] = places;
  const field = holders.length > 0 && place !== undefined ? `data['${String(place.path[1])}']` : written;
  return {
    ...cause,
    blamed,
    finding: {
      ...cause.finding,
      field,
      ...(fix === undefined
        ? {}
        : {
            fix: {
              ...fix,
              ...renamed(
                using.map(({ from }) => from.finding.node),
                blamed,
                graph,
                fix,
              ),
              edits: editsOf(places),
              isGuess: true,
            },
          }),
    },
  };
}

/**
 * Where names are changed: in git, if the objects that use them come from there. Immutable empty objects are recreated.
 */
function renamed(users: readonly Node[], holders: readonly Node[], graph: Graph, { where, say }: Fix): Partial<Fix> {
  const actions = users.flatMap(recreateActions);
  return {
    where: holders.every((holder) => graph.appsOf(holder).length > 0) ? 'git' : where,
    ...(actions.length === 0
      ? {}
      : { actions, say: `${say}; then delete the pending claims, which are empty and will be recreated` }),
  };
}

function isOutside({ finding: { node } }: Point): boolean {
  return node.state === 'virtual' && node.key.kind === 'Operator';
}

/** An object that also refers to the right name means two different things. */
function usesBoth(user: Node, { node: { key }, rightName }: Finding, graph: Graph): boolean {
  return graph
    .edges(user)
    .some(({ to }) => to.key.kind === key.kind && to.key.namespace === key.namespace && to.key.name === rightName);
}

/** A claim is immutable and empty before it is bound: its owner recreates it correctly. */
function recreateActions({ key, object }: Node): Action[] {
  return key.kind === 'PersistentVolumeClaim' &&
    textAt(object, 'status', 'phase') === 'Pending' &&
    textAt(object, 'spec', 'volumeName') === ''
    ? [{ kind: 'delete', object: key }]
    : [];
}

function unique(nodes: readonly Node[]): Node[] {
  return [...new Map(nodes.map((node) => [node.id, node])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * The edge of a circle that is given up most easily: a wave before a flag, a flag before a reference, that before data.
 */
function cheapestCut(members: readonly Point[]): Cause['cut'] {
  const inside = new Set(members);
  let best: { from: Point; step: CauseEdge } | undefined;
  for (const from of members) {
    for (const step of from.because) {
      if (!inside.has(step.to)) continue;
      if (best === undefined || CUT_COST[step.edge.type] < CUT_COST[best.step.edge.type]) best = { from, step };
    }
  }
  return best;
}

/** The causes behind every finding. Components come causes first, so each only needs its direct successors. */
function spread(
  parts: readonly Point[][],
  partKeys: ReadonlyMap<Point, string>,
  byKey: ReadonlyMap<string, Cause>,
): Map<Point, ReadonlySet<Cause>> {
  const behind = new Map<Point, ReadonlySet<Cause>>();
  for (const part of parts) {
    const found = new Set<Cause>();
    for (const point of part) {
      const own = byKey.get(partKeys.get(point) ?? '');
      if (own !== undefined) found.add(own);
      for (const { to } of point.because) for (const cause of behind.get(to) ?? []) found.add(cause);
    }
    for (const point of part) behind.set(point, found);
  }
  return behind;
}
