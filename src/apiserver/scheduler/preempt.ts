import { labelSelectorOf, matchesLabels, type KubeObject } from '../../model/kubernetes/index.js';
import { count, maybe, text } from '../resources/index.js';
import { explain, fitsOn } from './decide.js';
import { unresolvable, unschedulable, type ClusterSnapshot, type NodeRejection } from './filter.js';
import type { NodeInfo, PodInfo } from './node-info.js';

export type Preemption =
  | { readonly kind: 'evict'; readonly node: string; readonly victims: readonly KubeObject[] }
  /** What the scheduler adds to its explanation. */
  | { readonly kind: 'useless'; readonly message: string };

interface Candidate {
  readonly node: string;
  readonly victims: readonly PodInfo[];
  /** Victims that a disruption budget protects. */
  readonly violations: number;
}

/** Which pods of lower priority would have to go, and from where, so that the pod fits. */
export function preempt(
  pod: PodInfo,
  view: ClusterSnapshot,
  rejections: ReadonlyMap<string, NodeRejection>,
  budgets: readonly KubeObject[],
): Preemption {
  if (text(maybe(pod.pod, 'spec'), 'preemptionPolicy') === 'Never')
    return { kind: 'useless', message: 'preemption: not eligible due to preemptionPolicy=Never.' };
  const nominated = view.nodes.find(({ name }) => name === text(maybe(pod.pod, 'status'), 'nominatedNodeName'));
  if (
    nominated &&
    [...nominated.pods.values()].some(
      (other) => other.priority < pod.priority && other.pod.metadata.deletionTimestamp !== undefined,
    )
  ) {
    return { kind: 'useless', message: 'preemption: not eligible due to a terminating pod on the nominated node.' };
  }
  const candidates: Candidate[] = [];
  const statuses: NodeRejection[] = [];
  for (const node of view.nodes) {
    if (rejections.get(node.name)?.isUnresolvable !== false) {
      statuses.push(unresolvable('Preemption is not helpful for scheduling'));
      continue;
    }
    const found = victimsOn(pod, node, view, budgets);
    if ('victims' in found) candidates.push(found);
    else statuses.push(found);
  }
  const best = candidates.sort(byCost)[0];
  if (best) return { kind: 'evict', node: best.node, victims: best.victims.map((victim) => victim.pod) };
  return { kind: 'useless', message: `preemption: ${explain(view.nodes.length, statuses)}` };
}

/** All pods of lower priority go, then as many as possible come back, the important ones first. */
function victimsOn(
  pod: PodInfo,
  node: NodeInfo,
  view: ClusterSnapshot,
  budgets: readonly KubeObject[],
): Candidate | NodeRejection {
  const lower = [...node.pods.values()].filter((other) => other.priority < pod.priority).sort(byImportance);
  if (lower.length === 0) return unschedulable('No preemption victims found for incoming pod');
  const gone = new Set(lower.map(uidOf));
  const left = fitsOn(pod, node.name, withNode(view, node.without(gone)));
  if (left) return left;
  const isProtected = protectedBy(budgets);
  const violating = lower.filter(({ pod: each }) => isProtected(each));
  const victims: PodInfo[] = [];
  for (const each of [...violating, ...lower.filter((other) => !violating.includes(other))]) {
    gone.delete(uidOf(each));
    if (!fitsOn(pod, node.name, withNode(view, node.without(gone)))) continue;
    gone.add(uidOf(each));
    victims.push(each);
  }
  return {
    node: node.name,
    victims: victims.sort(byImportance),
    violations: victims.filter((victim) => violating.includes(victim)).length,
  };
}

/** Each budget lets only so many of its pods go; the rest count as protected. */
function protectedBy(budgets: readonly KubeObject[]): (pod: KubeObject) => boolean {
  const left = budgets.map((budget) => ({ budget, allowed: count(maybe(budget, 'status'), 'disruptionsAllowed') }));
  return (pod) => {
    let isProtected = false;
    for (const entry of left) {
      const { metadata } = entry.budget;
      const selector = maybe(entry.budget, 'spec.selector');
      if (
        metadata.namespace !== pod.metadata.namespace ||
        !selector ||
        !matchesLabels(labelSelectorOf(selector), pod.metadata.labels)
      )
        continue;
      entry.allowed -= 1;
      if (entry.allowed < 0) isProtected = true;
    }
    return isProtected;
  };
}

function withNode(view: ClusterSnapshot, changed: NodeInfo): ClusterSnapshot {
  return { ...view, nodes: view.nodes.map((node) => (node.name === changed.name ? changed : node)) };
}

function uidOf({ pod }: PodInfo): string {
  return pod.metadata.uid ?? '';
}

function byImportance(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || startOf(a) - startOf(b);
}

function startOf({ pod }: PodInfo): number {
  return Date.parse(text(maybe(pod, 'status'), 'startTime') || (pod.metadata.creationTimestamp ?? '')) || 0;
}

/** Fewest broken budgets, then the least important highest victim, the smallest sum, the fewest victims. */
function byCost(a: Candidate, b: Candidate): number {
  const highest = ({ victims }: Candidate): number => victims[0]?.priority ?? 0;
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, victim) => total + victim.priority + 2 ** 31, 0);
  return (
    a.violations - b.violations || highest(a) - highest(b) || sum(a) - sum(b) || a.victims.length - b.victims.length
  );
}
