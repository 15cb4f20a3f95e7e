import { compareText } from '../../model/go/index.js';
import { unresolvable, type ClusterSnapshot, type Filter, type Prepared, type NodeRejection } from './filter.js';
import {
  namedNodes,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  nodeUnschedulable,
  taintToleration,
} from './node-filters.js';
import type { NodeInfo, PodInfo } from './node-info.js';
import { interPodAffinity } from './pod-affinity.js';
import { chooseNode } from './score.js';
import { podTopologySpread } from './topology-spread.js';
import { nodeVolumeLimits, volumeBinding, volumeRestrictions } from './volume-filters.js';

/** In the order of the real scheduler's default profile: the first rejection of a node counts. */
const FILTERS: readonly Filter[] = [
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  podTopologySpread,
  interPodAffinity,
];

export type Decision =
  | { readonly kind: 'place'; readonly node: NodeInfo }
  /** `rejections` has every node; `rejection` is set where no node was checked. */
  | {
      readonly kind: 'refuse';
      readonly rejections: ReadonlyMap<string, NodeRejection>;
      readonly rejection: string | undefined;
    };

export function decide(pod: PodInfo, view: ClusterSnapshot): Decision {
  const named = namedNodes(pod);
  const prepared = FILTERS.map((filter) => ({ filter, result: filter.prepare(pod, view) }));
  const rejection =
    named === 'conflict'
      ? 'pod affinity terms conflict'
      : prepared.map(({ result }) => result).find((result) => result.kind === 'reject')?.reason;
  if (rejection !== undefined)
    return {
      kind: 'refuse',
      rejection,
      rejections: new Map(view.nodes.map((node) => [node.name, unresolvable(rejection)])),
    };
  const checks = prepared.map(({ result }) => result);
  const fitting: NodeInfo[] = [];
  const rejections = new Map<string, NodeRejection>();
  for (const node of view.nodes) {
    const rejected =
      named !== undefined && named !== 'conflict' && !named.has(node.name)
        ? unresolvable("node(s) didn't satisfy plugin(s) [NodeAffinity]")
        : firstRejection(checks, node);
    if (rejected) rejections.set(node.name, rejected);
    else fitting.push(node);
  }
  const node = chooseNode(pod, fitting, view);
  return node ? { kind: 'place', node } : { kind: 'refuse', rejections: rejections, rejection: undefined };
}

function firstRejection(checks: readonly Prepared[], node: NodeInfo): NodeRejection | undefined {
  for (const prepared of checks) {
    const rejected = prepared.kind === 'check' ? prepared.check(node) : undefined;
    if (rejected) return rejected;
  }
  return undefined;
}

/** Whether one node, as it is in `view`, takes the pod. */
export function fitsOn(pod: PodInfo, name: string, view: ClusterSnapshot): NodeRejection | undefined {
  const prepared = FILTERS.map((filter) => filter.prepare(pod, view));
  const rejected = prepared.find((result) => result.kind === 'reject');
  if (rejected) return unresolvable(rejected.reason);
  const node = view.nodes.find((each) => each.name === name);
  return node ? firstRejection(prepared, node) : unresolvable('node not found');
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).` */
export function explain(total: number, rejections: Iterable<NodeRejection>, rejection?: string): string {
  const start = `0/${total} nodes are available:`;
  if (rejection !== undefined) return `${start} ${rejection}.`;
  const counts = new Map<string, number>();
  for (const { reasons } of rejections) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort(compareText);
  return parts.length === 0 ? start : `${start} ${parts.join(', ')}.`;
}
