import {
  EVERYTHING,
  labelSelectorOf,
  matchesLabels,
  type KubeObject,
  type LabelSelector,
} from '../../model/kubernetes/index.js';
import { own, type JsonObject } from '../../model/json/index.js';
import { count, items, maybe, sub, text, texts } from '../resources/index.js';
import { check, unresolvable, unschedulable, SKIP, type ClusterSnapshot, type Filter } from './filter.js';
import type { NodeInfo, PodInfo } from './node-info.js';

/** Which pods one (anti-)affinity term means, and over which part of the cluster it counts them. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly weight: number;
  selects(pod: KubeObject): boolean;
}

/** An empty selector selects every namespace. */
function namespacesOf(selector: JsonObject): LabelSelector {
  return Object.keys(selector).length === 0 ? EVERYTHING : labelSelectorOf(selector);
}

export function readTerm(owner: KubeObject, term: JsonObject, view: ClusterSnapshot, weight = 1): AffinityTerm {
  const selector = labelSelectorOf(maybe(term, 'labelSelector'));
  const namespaceSelector = maybe(term, 'namespaceSelector');
  const bySelector = namespaceSelector === undefined ? undefined : namespacesOf(namespaceSelector);
  const named = texts(term, 'namespaces');
  const namespaces = named.length === 0 && bySelector === undefined ? [owner.metadata.namespace ?? ''] : named;
  return {
    topologyKey: text(term, 'topologyKey'),
    weight,
    selects(pod) {
      const namespace = pod.metadata.namespace ?? '';
      const inside =
        namespaces.includes(namespace) ||
        (bySelector !== undefined && matchesLabels(bySelector, view.namespaceLabels(namespace)));
      return inside && matchesLabels(selector, pod.metadata.labels);
    },
  };
}

export function requiredTerms(
  pod: KubeObject,
  kind: 'podAffinity' | 'podAntiAffinity',
  view: ClusterSnapshot,
): AffinityTerm[] {
  return items(sub(pod, `spec.affinity.${kind}`), 'requiredDuringSchedulingIgnoredDuringExecution').map((term) =>
    readTerm(pod, term, view),
  );
}

export function preferredTerms(
  pod: KubeObject,
  kind: 'podAffinity' | 'podAntiAffinity',
  view: ClusterSnapshot,
): AffinityTerm[] {
  return items(sub(pod, `spec.affinity.${kind}`), 'preferredDuringSchedulingIgnoredDuringExecution').map((term) =>
    readTerm(pod, sub(term, 'podAffinityTerm'), view, count(term, 'weight')),
  );
}

export function topologyOf(node: KubeObject, key: string): string | undefined {
  const value = own(node.metadata.labels ?? {}, key);
  return typeof value === 'string' ? value : undefined;
}

/** For each term, the topology values where a pod that it selects runs. */
function occupied(
  terms: readonly AffinityTerm[],
  nodes: readonly NodeInfo[],
  selects: (term: AffinityTerm, pod: KubeObject) => boolean,
): Map<AffinityTerm, Set<string>> {
  const found = new Map(terms.map((term) => [term, new Set<string>()]));
  for (const { node, pods } of nodes) {
    for (const [term, values] of found) {
      const value = topologyOf(node, term.topologyKey);
      if (value === undefined || values.has(value)) continue;
      for (const { pod } of pods.values()) {
        if (!selects(term, pod)) continue;
        values.add(value);
        break;
      }
    }
  }
  return found;
}

export const interPodAffinity: Filter = {
  name: 'InterPodAffinity',
  prepare(facts, view) {
    const { pod } = facts;
    const near = requiredTerms(pod, 'podAffinity', view);
    const far = requiredTerms(pod, 'podAntiAffinity', view);
    const repelled = repelledFrom(facts, view);
    if (near.length === 0 && far.length === 0 && repelled.length === 0) return SKIP;
    // Affinity counts only pods that all terms select.
    const nearby = occupied(near, view.nodes, (_, other) => near.every((term) => term.selects(other)));
    const selfish =
      [...nearby.values()].every((values) => values.size === 0) && near.every((term) => term.selects(pod));
    const faraway = occupied(far, view.nodes, (term, other) => term.selects(other));
    return check(({ node }) => {
      const values = near.map((term) => topologyOf(node, term.topologyKey));
      const together = near.every((term, index) => nearby.get(term)?.has(values[index] ?? '') === true);
      if (values.includes(undefined) || (!together && !selfish))
        return unresolvable("node(s) didn't match pod affinity rules");
      if (far.some((term) => isAt(node, term.topologyKey, faraway.get(term))))
        return unschedulable("node(s) didn't match pod anti-affinity rules");
      if (repelled.some(({ key, value }) => topologyOf(node, key) === value))
        return unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");
      return undefined;
    });
  },
};

function isAt(node: KubeObject, key: string, values: ReadonlySet<string> | undefined): boolean {
  const value = topologyOf(node, key);
  return value !== undefined && values?.has(value) === true;
}

/** Places that running pods keep free of a pod like this. */
function repelledFrom({ pod }: PodInfo, view: ClusterSnapshot): { key: string; value: string }[] {
  const places: { key: string; value: string }[] = [];
  for (const { node, pods } of view.nodes) {
    for (const other of pods.values()) {
      if (!other.repels) continue;
      for (const term of requiredTerms(other.pod, 'podAntiAffinity', view)) {
        const value = topologyOf(node, term.topologyKey);
        if (value !== undefined && term.selects(pod)) places.push({ key: term.topologyKey, value });
      }
    }
  }
  return places;
}
