import { compareText } from '../../model/go/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { count, items, maybe, sub, text } from '../resources/index.js';
import type { ClusterSnapshot } from './filter.js';
import { matchesTerm, toleratesTaint } from './node-match.js';
import type { NodeInfo, PodInfo } from './node-info.js';
import { preferredTerms, topologyOf } from './pod-affinity.js';
import { domainCounts, spreadRules } from './topology-spread.js';

/** What a pod without requests is taken to use, so that such pods spread too. */
const ASSUMED = new Map([
  ['cpu', 100n],
  ['memory', 200n * 1024n * 1024n],
]);

interface Scorer {
  readonly weight: number;
  /** Any number per node; they are brought to 0..100 together. Undefined: has nothing to say. */
  score(pod: PodInfo, nodes: readonly NodeInfo[], view: ClusterSnapshot): number[] | undefined;
  /** A low number is the better one. */
  readonly lowIsBetter?: boolean;
  /** Numbers are already between 0 and 100. */
  readonly absolute?: boolean;
}

const leastAllocated: Scorer = {
  weight: 1,
  absolute: true,
  score: (pod, nodes) =>
    nodes.map((node) => average(['cpu', 'memory'].map((name) => 100 * (1 - fraction(node, pod, name))))),
};

const balanced: Scorer = {
  weight: 1,
  absolute: true,
  score: (pod, nodes) =>
    nodes.map((node) => 100 * (1 - Math.abs(fraction(node, pod, 'cpu') - fraction(node, pod, 'memory')) / 2)),
};

const preferNoTaint: Scorer = {
  weight: 3,
  lowIsBetter: true,
  score({ pod }, nodes) {
    const tolerations = items(maybe(pod, 'spec'), 'tolerations');
    return nodes.map(
      ({ node }) =>
        items(maybe(node, 'spec'), 'taints').filter(
          (taint) => text(taint, 'effect') === 'PreferNoSchedule' && !toleratesTaint(tolerations, taint),
        ).length,
    );
  },
};

const preferredNodeAffinity: Scorer = {
  weight: 2,
  score({ pod }, nodes) {
    const terms = items(maybe(pod, 'spec.affinity.nodeAffinity'), 'preferredDuringSchedulingIgnoredDuringExecution');
    if (terms.length === 0) return undefined;
    return nodes.map(({ node }) =>
      terms.reduce((sum, term) => sum + (matchesTerm(sub(term, 'preference'), node) ? count(term, 'weight') : 0), 0),
    );
  },
};

const preferredPodAffinity: Scorer = {
  weight: 2,
  score({ pod }, nodes, view) {
    const terms = [
      ...preferredTerms(pod, 'podAffinity', view).map((term) => ({ term, sign: 1 })),
      ...preferredTerms(pod, 'podAntiAffinity', view).map((term) => ({ term, sign: -1 })),
    ];
    if (terms.length === 0) return undefined;
    const counts = terms.map(({ term }) => {
      const found = new Map<string, number>();
      for (const { node, pods } of view.nodes) {
        const value = topologyOf(node, term.topologyKey);
        if (value === undefined) continue;
        for (const other of pods.values()) if (term.selects(other.pod)) found.set(value, (found.get(value) ?? 0) + 1);
      }
      return found;
    });
    return nodes.map(({ node }) =>
      terms.reduce(
        (sum, { term, sign }, index) =>
          sum + sign * term.weight * (counts[index]?.get(topologyOf(node, term.topologyKey) ?? '') ?? 0),
        0,
      ),
    );
  },
};

/**
 * Spread constraints that are preferred, and, without any, keeping pods of one owner apart: by node first, then by
 * zone.
 */
const spread: Scorer = {
  weight: 2,
  lowIsBetter: true,
  score({ pod }, nodes, view) {
    const rules = spreadRules(pod, 'ScheduleAnyway');
    if (rules.length === 0) return siblings(pod, nodes, view);
    const counts = rules.map((rule) => domainCounts(rule, rules, pod, view.nodes));
    return nodes.map(({ node }) =>
      rules.reduce(
        (sum, rule, index) => sum + (counts[index]?.get(topologyOf(node, rule.key) ?? '') ?? 0) / rule.maxSkew,
        0,
      ),
    );
  },
};

const ZONE = 'topology.kubernetes.io/zone';

function siblings(pod: KubeObject, nodes: readonly NodeInfo[], view: ClusterSnapshot): number[] | undefined {
  const owner = ownerOf(pod);
  if (owner === undefined) return undefined;
  const zones = new Map<string, number>();
  const own = new Map<string, number>();
  for (const state of view.nodes) {
    const here = [...state.pods.values()].filter((other) => ownerOf(other.pod) === owner).length;
    own.set(state.name, here);
    const zone = topologyOf(state.node, ZONE) ?? '';
    zones.set(zone, (zones.get(zone) ?? 0) + here);
  }
  return nodes.map((state) => (own.get(state.name) ?? 0) + (zones.get(topologyOf(state.node, ZONE) ?? '') ?? 0) / 2);
}

function ownerOf(pod: KubeObject): string | undefined {
  return pod.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid;
}

const SCORERS: readonly Scorer[] = [
  leastAllocated,
  balanced,
  preferNoTaint,
  preferredNodeAffinity,
  preferredPodAffinity,
  spread,
];

/**
 * The best of the nodes that would take the pod; equal ones by fewest pods, then by name, so that a choice can be
 * repeated.
 */
export function chooseNode(pod: PodInfo, nodes: readonly NodeInfo[], view: ClusterSnapshot): NodeInfo | undefined {
  if (nodes.length < 2) return nodes[0];
  const totals = nodes.map(() => 0);
  for (const scorer of SCORERS) {
    const scores = scorer.score(pod, nodes, view);
    if (!scores) continue;
    normalise(scores, scorer).forEach((score, index) => {
      totals[index] = (totals[index] ?? 0) + scorer.weight * score;
    });
  }
  const ranked = nodes
    .map((node, index) => ({ node, total: Math.round(totals[index] ?? 0) }))
    .sort((a, b) => b.total - a.total || a.node.pods.size - b.node.pods.size || compareText(a.node.name, b.node.name));
  return ranked[0]?.node;
}

function normalise(scores: readonly number[], { absolute = false, lowIsBetter = false }: Scorer): number[] {
  if (absolute) return scores.map((score) => Math.min(100, Math.max(0, score)));
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  if (high === low) return scores.map(() => 0);
  return scores.map((score) => (100 * (lowIsBetter ? high - score : score - low)) / (high - low));
}

/** How full the node would be, 0 to 1. */
function fraction(node: NodeInfo, { requests }: PodInfo, resource: string): number {
  const capacity = Number(node.allocatable.get(resource) ?? 0n);
  if (capacity === 0) return 1;
  const wanted = requests.get(resource) ?? 0n;
  const used =
    Number(node.requested.get(resource) ?? 0n) + Number(wanted === 0n ? (ASSUMED.get(resource) ?? 0n) : wanted);
  return Math.min(1, used / capacity);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
