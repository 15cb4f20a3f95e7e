import { labelSelectorOf, matchesLabels, type KubeObject, type LabelSelector } from '../../model/kubernetes/index.js';
import { own, type JsonObject } from '../../model/json/index.js';
import { count, items, maybe, number, text, texts } from '../resources/index.js';
import { check, unresolvable, unschedulable, SKIP, type Filter } from './filter.js';
import { matchesNodeRules, repellingTaints, toleratesTaint } from './node-match.js';
import type { NodeInfo } from './node-info.js';
import { topologyOf } from './pod-affinity.js';

export interface SpreadRule {
  readonly key: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: LabelSelector;
  /** Whether nodes that the pod could not go to count. */
  readonly counts: (node: KubeObject) => boolean;
}

export function spreadRules(pod: KubeObject, when: 'DoNotSchedule' | 'ScheduleAnyway'): SpreadRule[] {
  return items(maybe(pod, 'spec'), 'topologySpreadConstraints')
    .filter((rule) => text(rule, 'whenUnsatisfiable') === when)
    .map((rule) => ({
      key: text(rule, 'topologyKey'),
      maxSkew: count(rule, 'maxSkew'),
      minDomains: number(rule, 'minDomains') ?? 1,
      selector: withLabelKeys(labelSelectorOf(maybe(rule, 'labelSelector')), texts(rule, 'matchLabelKeys'), pod),
      counts: inclusion(pod, rule),
    }));
}

function withLabelKeys(selector: LabelSelector, keys: readonly string[], pod: KubeObject): LabelSelector {
  const more = keys.flatMap((key) => {
    const value = own(pod.metadata.labels ?? {}, key);
    return typeof value === 'string' && !selector.requirements.some((each) => each.key === key)
      ? [{ key, operator: 'in' as const, values: [value] }]
      : [];
  });
  return more.length === 0 ? selector : { ...selector, requirements: [...selector.requirements, ...more] };
}

function inclusion(pod: KubeObject, rule: JsonObject): (node: KubeObject) => boolean {
  const byAffinity = text(rule, 'nodeAffinityPolicy') !== 'Ignore';
  const byTaints = text(rule, 'nodeTaintsPolicy') === 'Honor';
  const tolerations = items(maybe(pod, 'spec'), 'tolerations');
  return (node) =>
    (!byAffinity || matchesNodeRules(pod, node)) &&
    (!byTaints || repellingTaints(node).every((taint) => toleratesTaint(tolerations, taint)));
}

/** How many pods that the rule selects run in each domain that counts. */
export function domainCounts(
  rule: SpreadRule,
  rules: readonly SpreadRule[],
  pod: KubeObject,
  nodes: readonly NodeInfo[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { node, pods } of nodes) {
    const value = topologyOf(node, rule.key);
    if (value === undefined || !rules.every(({ key }) => topologyOf(node, key) !== undefined) || !rule.counts(node))
      continue;
    let found = 0;
    for (const { pod: other } of pods.values()) if (isCounted(rule, pod, other)) found++;
    counts.set(value, (counts.get(value) ?? 0) + found);
  }
  return counts;
}

function isCounted(rule: SpreadRule, pod: KubeObject, other: KubeObject): boolean {
  return (
    other.metadata.namespace === pod.metadata.namespace &&
    other.metadata.deletionTimestamp === undefined &&
    matchesLabels(rule.selector, other.metadata.labels)
  );
}

export const podTopologySpread: Filter = {
  name: 'PodTopologySpread',
  prepare({ pod }, { nodes }) {
    const rules = spreadRules(pod, 'DoNotSchedule');
    if (rules.length === 0) return SKIP;
    const counted = rules.map((rule) => {
      const domains = domainCounts(rule, rules, pod, nodes);
      const least = domains.size < rule.minDomains ? 0 : Math.min(...domains.values());
      return { rule, domains, least, self: matchesLabels(rule.selector, pod.metadata.labels) ? 1 : 0 };
    });
    return check(({ node }) => {
      for (const { rule, domains, least, self } of counted) {
        const value = topologyOf(node, rule.key);
        if (value === undefined)
          return unresolvable("node(s) didn't match pod topology spread constraints (missing required label)");
        if ((domains.get(value) ?? 0) + self - least > rule.maxSkew)
          return unschedulable("node(s) didn't match pod topology spread constraints");
      }
      return undefined;
    });
  },
};
