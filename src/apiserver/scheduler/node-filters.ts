import { items, maybe, text } from '../resources/index.js';
import { check, unresolvable, unschedulable, SKIP, type Filter, type NodeRejection } from './filter.js';
import { isUnschedulable, matchesNodeRules, repellingTaints, toleratesTaint } from './node-match.js';
import type { NodeInfo, PodInfo } from './node-info.js';

/** Filters of one node and the pod alone. Names are those of the real plugins, texts those they give. */

const UNSCHEDULABLE_TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export const nodeUnschedulable: Filter = {
  name: 'NodeUnschedulable',
  prepare: ({ pod }) => {
    if (toleratesTaint(items(maybe(pod, 'spec'), 'tolerations'), UNSCHEDULABLE_TAINT)) return SKIP;
    return check(({ node }) => (isUnschedulable(node) ? unresolvable('node(s) were unschedulable') : undefined));
  },
};

export const taintToleration: Filter = {
  name: 'TaintToleration',
  prepare: ({ pod }) => {
    const tolerations = items(maybe(pod, 'spec'), 'tolerations');
    return check(({ node }) =>
      repellingTaints(node).every((taint) => toleratesTaint(tolerations, taint))
        ? undefined
        : unresolvable('node(s) had untolerated taint(s)'),
    );
  },
};

export const nodeAffinity: Filter = {
  name: 'NodeAffinity',
  prepare: ({ pod }) => {
    const spec = maybe(pod, 'spec');
    const terms = items(
      maybe(spec, 'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution'),
      'nodeSelectorTerms',
    );
    if (terms.length === 0 && maybe(spec, 'nodeSelector') === undefined) return SKIP;
    return check(({ node }) =>
      matchesNodeRules(pod, node) ? undefined : unresolvable("node(s) didn't match Pod's node affinity/selector"),
    );
  },
};

export const nodePorts: Filter = {
  name: 'NodePorts',
  prepare: ({ ports }) => {
    if (ports.length === 0) return SKIP;
    return check((node) =>
      ports.some((port) => node.hasPort(port))
        ? unschedulable("node(s) didn't have free ports for the requested pod ports")
        : undefined,
    );
  },
};

/** The order in which the real plugin checks; extended resources follow by name. */
const FIRST = ['cpu', 'memory', 'ephemeral-storage'];

export const nodeResourcesFit: Filter = {
  name: 'NodeResourcesFit',
  prepare: (facts) => check((node) => fit(facts, node)),
};

export function fit({ requests }: PodInfo, node: NodeInfo): NodeRejection | undefined {
  const reasons: string[] = [];
  let final = false;
  if (BigInt(node.pods.size + 1) > (node.allocatable.get('pods') ?? 0n)) reasons.push('Too many pods');
  const others = [...requests.keys()].filter((name) => !FIRST.includes(name)).sort();
  for (const name of [...FIRST, ...others]) {
    const wanted = requests.get(name) ?? 0n;
    if (wanted === 0n || wanted <= node.free(name)) continue;
    reasons.push(`Insufficient ${name}`);
    if (wanted > (node.allocatable.get(name) ?? 0n)) final = true;
  }
  return reasons.length === 0 ? undefined : { reasons, isUnresolvable: final };
}

/** Nodes that required affinity names outright (as DaemonSet pods do); undefined where any node may do. */
export function namedNodes({ pod }: PodInfo): ReadonlySet<string> | 'conflict' | undefined {
  const terms = items(
    maybe(pod, 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution'),
    'nodeSelectorTerms',
  );
  if (terms.length === 0) return undefined;
  const named = new Set<string>();
  for (const term of terms) {
    let ofTerm: string[] | undefined;
    for (const rule of items(term, 'matchFields')) {
      if (text(rule, 'key') !== 'metadata.name' || text(rule, 'operator') !== 'In') continue;
      const values = (rule['values'] ?? []) as string[];
      ofTerm = ofTerm === undefined ? values : ofTerm.filter((name) => values.includes(name));
    }
    if (ofTerm === undefined) return undefined;
    for (const name of ofTerm) named.add(name);
  }
  return named.size === 0 ? 'conflict' : named;
}
