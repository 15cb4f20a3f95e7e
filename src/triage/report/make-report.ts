import { createHash } from 'node:crypto';
import { formatTime, instantOf } from '../../model/formats/index.js';
import { amountOf, textAt } from '../json/index.js';
import { objectsAt, valueAt } from '../../model/json/index.js';
import { inspectedOnTrail, type Trail, type NextBlocker, type RankedCause } from '../causes/index.js';
import { type Graph, nodeText, type Node, isNodeReady } from '../graph/index.js';
import type { Snapshot } from '../snapshot/index.js';
import type { NodePool, Report, ReportedCause } from './report.js';
import { aroundOf } from './around.js';
import { patchCommands } from './patch-command.js';
import { settlingCommand } from './settle.js';
import { plainText } from './plain-text.js';

const MAX_CONSEQUENCES = 200;
const MAX_COMMANDS = 40;
const MAX_NEXT = 6;

export interface TracedCause extends RankedCause {
  readonly trail: Trail;
  readonly next: readonly NextBlocker[];
}

/** Everything that triage found, as plain data: equal for equal snapshots. */
export function makeReport(
  snapshot: Snapshot,
  graph: Graph,
  traced: readonly TracedCause[],
  isFine: (id: string) => boolean,
): Report {
  const names = namesOf(traced);
  const causes = traced.map((one) => causeOf(one, names, graph, isFine));
  const broken = new Set(
    traced.filter(({ severity }) => severity === 'P0' || severity === 'P1').flatMap(({ reach }) => [...reach.keys()]),
  );
  return {
    version: 1,
    time: formatTime(instantOf(snapshot.time)),
    status: causes.some(({ severity }) => severity === 'P0' || severity === 'P1') ? 'Open' : 'Resolved',
    summary: {
      ...countApplications(graph),
      objects: snapshot.objects.length,
      events: snapshot.events.length,
      counted: graph.applications.length > 0 ? 'applications' : 'workloads',
      broken: broken.size,
    },
    causes,
    topology: topologyOf(graph),
    validation: validationOf(causes),
    ...(graph.seriesNames.length > 0 ? { isMeasured: true } : {}),
    ...(snapshot.isPartial === true ? { isPartial: true } : {}),
    problems: [
      ...snapshot.problems,
      ...graph.oddities,
      ...(graph.store.gaps.says === '' ? [] : [graph.store.gaps.says]),
    ].map((problem) => plainText(problem, 500)),
  };
}

/** The place of each cause inside its level, such as P0-1, by its key. */
function namesOf(traced: readonly TracedCause[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  return new Map(
    traced.map(({ cause, severity }) => {
      const count = (counts.get(severity) ?? 0) + 1;
      counts.set(severity, count);
      return [cause.key, `${severity}-${count}`];
    }),
  );
}

/** The same in every report about the same cause. */
export function causeId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12);
}

function causeOf(
  traced: TracedCause,
  names: ReadonlyMap<string, string>,
  graph: Graph,
  isFine: (id: string) => boolean,
): ReportedCause {
  const { cause, reach, trail, next } = traced;
  const { finding } = cause;
  const confidence = confidenceOf(traced, graph);
  const units = [...reach.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    id: causeId(cause.key),
    name: names.get(cause.key) ?? '',
    severity: traced.severity,
    rule: finding.rule,
    kind: cause.kind,
    confidence,
    impact: traced.impact,
    title: plainText(titleOf(traced)),
    objects: cause.blamed.map(({ key }) => key),
    field: placeOf(finding.field ?? '', cause.blamed),
    evidence: evidenceOf(traced),
    reach: {
      count: reach.size,
      environments: [...new Set(units.map(({ environment }) => environment))].filter((each) => each !== '').sort(),
      names: units.map((unit) => unit.name),
    },
    heals: traced.heals,
    alone: traced.alone,
    chain: trail.hops.map(({ point, edge }) => ({
      object: nodeText(point.finding.node),
      rule: point.finding.rule,
      says: plainText(point.finding.title),
      via: edge?.field ?? '',
      grade: edge?.grade ?? '',
    })),
    consequences: trail.consequences
      .slice(0, MAX_CONSEQUENCES)
      .map(({ finding: each }) => ({ object: nodeText(each.node), rule: each.rule, says: plainText(each.title) })),
    ...inspectedOnTrail(trail.hops, graph, isFine),
    around: aroundOf(traced, graph),
    settle: confidence === 'sure' ? '' : settlingCommand(finding),
    since: finding.onset === undefined ? '' : formatTime(instantOf(finding.onset)),
    fix: fixOf(traced, graph),
    next: next
      .slice(0, MAX_NEXT)
      .map(({ causeKey, says, pods }) => ({ cause: names.get(causeKey ?? '') ?? '', says: plainText(says), pods })),
  };
}

function confidenceOf(traced: TracedCause, graph: Graph): ReportedCause['confidence'] {
  if (traced.cause.kind === 'unexplained') return 'lead';
  return traced.cause.finding.suspect === true || isOutsideSnapshot(traced, graph) ? 'likely' : 'sure';
}

/** The fix of the most specific finding, with the changes of all findings of the cause. */
function fixOf({ cause }: RankedCause, graph: Graph): ReportedCause['fix'] {
  const { fix } = cause.finding;
  if (fix === undefined) return undefined;
  const all = <T>(pick: (each: NonNullable<typeof fix>) => readonly T[] | undefined): T[] => [
    ...new Map(
      [
        ...(pick(fix) ?? []),
        ...cause.members.flatMap(({ finding }) => (finding.fix === undefined ? [] : (pick(finding.fix) ?? []))),
      ].map((each) => [JSON.stringify(each), each]),
    ).values(),
  ];
  const [edits, actions, commands, snippets] = [
    all((each) => each.edits),
    all((each) => each.actions),
    all((each) => each.commands),
    all((each) => (each.snippet === undefined ? [] : [each.snippet])),
  ];
  return {
    ...fix,
    commands: patchCommands({ ...fix, commands, edits }, graph).slice(0, MAX_COMMANDS),
    ...(edits.length === 0 ? {} : { edits }),
    ...(actions.length === 0 ? {} : { actions }),
    ...(snippets.length === 0 ? {} : { snippet: snippets.join('\n') }),
  };
}

function evidenceOf({ cause }: RankedCause): ReportedCause['evidence'] {
  const all = cause.members.flatMap(({ finding }) => finding.evidence);
  const unique = [...new Map(all.map((each) => [`${each.of}|${each.path}|${each.value}`, each])).values()];
  return unique.slice(0, 12).map((each) => ({ ...each, value: plainText(each.value) }));
}

/** The object to change is not in an incomplete snapshot: another object may have to create it. */
function isOutsideSnapshot({ cause }: RankedCause, graph: Graph): boolean {
  return graph.store.gaps.says !== '' && cause.blamed.some(({ object }) => object === undefined);
}

function titleOf({ cause }: RankedCause): string {
  const { finding, kind, blamed } = cause;
  if (kind === 'circle') return cycleTitle(cause);
  return (blamed.length > 1 ? finding.commonTitle : undefined) ?? finding.title;
}

function cycleTitle({ members, cut }: RankedCause['cause']): string {
  const names = [...new Set(members.map(({ finding }) => nodeText(finding.node)))].join(' and ');
  if (cut === undefined) return `${names} wait for each other`;
  const { step, from } = cut;
  const field = step.edge.field || (from.finding.field ?? 'the reference');
  return `${names} wait for each other; break the cycle at ${field} of ${nodeText(from.finding.node)}`;
}

function countApplications(graph: Graph): {
  applications: number;
  health: Record<string, number>;
  sync: Record<string, number>;
} {
  const tally = (path: readonly string[]): Record<string, number> => {
    const counts = new Map<string, number>();
    for (const app of graph.applications) {
      const word = textAt(app.object, ...path) || 'Unknown';
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return {
    applications: graph.applications.length,
    health: tally(['status', 'health', 'status']),
    sync: tally(['status', 'sync', 'status']),
  };
}

/** Nodes with the same taints and size are a pool. */
function topologyOf(graph: Graph): NodePool[] {
  const pools = new Map<string, Node[]>();
  for (const node of graph.store.ofKind('', 'Node')) {
    const key = JSON.stringify([taintsOf(node), capacityOf(node)]);
    pools.set(key, [...(pools.get(key) ?? []), node]);
  }
  return [...pools.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, nodes]) => {
      const [first] = nodes;
      return first === undefined
        ? []
        : [
            {
              count: nodes.length,
              ready: nodes.filter(isNodeReady).length,
              taints: taintsOf(first),
              capacity: capacityOf(first),
              nodes: nodes.map(({ key }) => key.name),
            },
          ];
    });
}

function taintsOf(node: Node): string[] {
  return objectsAt(node.object, 'spec', 'taints')
    .map((taint) => `${textAt(taint, 'key')}=${textAt(taint, 'value')}:${textAt(taint, 'effect')}`)
    .sort();
}

function capacityOf(node: Node): string {
  const amount = (name: string): number => amountOf(valueAt(node.object, 'status', 'allocatable', name));
  return `${amount('cpu').toFixed(1)} CPU, ${(amount('memory') / 2 ** 30).toFixed(0)} GiB`;
}

function validationOf(causes: readonly ReportedCause[]): string[] {
  const commands = causes.flatMap(({ fix, severity }) =>
    fix === undefined || fix.verify === '' || severity === 'P3' ? [] : [fix.verify],
  );
  return [
    ...new Set([
      ...commands.slice(0, 12),
      'kubectl get applications -A',
      'kubectl get pods -A --field-selector=status.phase=Pending',
    ]),
  ];
}

/**
 * Findings speak of pods as a template describes them; a pod by itself has no template, and a CronJob has it one
 * deeper.
 */
function placeOf(field: string, blamed: readonly Node[]): string {
  const kinds = new Set(blamed.map(({ key }) => key.kind));
  const [kind] = kinds;
  if (kinds.size !== 1 || !field.startsWith('spec.template.')) return field;
  if (kind === 'Pod') return field.slice('spec.template.'.length);
  return kind === 'CronJob' ? `spec.jobTemplate.${field}` : field;
}
