import { own } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, items, maybe, text } from '../../resources/index.js';
import { createdAt, isActive, isReady, phaseOf, readySince } from './pod-conditions.js';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASE_ORDER: ReadonlyMap<string, number> = new Map([
  ['Pending', 0],
  ['Unknown', 1],
  ['Running', 2],
]);

/**
 * Pods in the order in which a ReplicaSet gives them up: unassigned, pending, unready, cheap, crowded, lately ready,
 * often restarted, young. `related` are the pods that crowd a node: those of all ReplicaSets of the same owner.
 */
export function inDeletionOrder(pods: readonly KubeObject[], related: readonly KubeObject[], now: Date): KubeObject[] {
  const crowd = new Map<string, number>();
  for (const pod of related) if (isActive(pod)) crowd.set(nodeOf(pod), (crowd.get(nodeOf(pod)) ?? 0) + 1);
  const rules: ((pod: KubeObject) => number)[] = [
    (pod) => (nodeOf(pod) === '' ? 0 : 1),
    (pod) => PHASE_ORDER.get(phaseOf(pod)) ?? 0,
    (pod) => (isReady(pod) ? 1 : 0),
    deletionCost,
    (pod) => -(crowd.get(nodeOf(pod)) ?? 0),
    (pod) => ageRank(readySince(pod), now),
    (pod) => -restarts(pod),
    (pod) => ageRank(createdAt(pod), now),
  ];
  return [...pods].sort((a, b) => {
    for (const rule of rules) {
      const difference = rule(a) - rule(b);
      if (difference !== 0) return difference;
    }
    return (a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1;
  });
}

function nodeOf(pod: KubeObject): string {
  return text(maybe(pod, 'spec'), 'nodeName');
}

function deletionCost(pod: KubeObject): number {
  const value = own(pod.metadata.annotations ?? {}, DELETION_COST);
  return typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : 0;
}

function restarts(pod: KubeObject): number {
  return Math.max(
    0,
    ...items(maybe(pod, 'status'), 'containerStatuses').map((status) => count(status, 'restartCount')),
  );
}

/**
 * Ages count on a logarithmic scale (in nanoseconds), so that pods of about the same age are chosen without preference.
 */
function ageRank(since: number | undefined, now: Date): number {
  if (since === undefined) return -2;
  const age = (now.getTime() - since) * 1e6;
  return age > 0 ? Math.floor(Math.log2(age)) : -1;
}
