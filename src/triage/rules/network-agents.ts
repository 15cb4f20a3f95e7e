import { type Graph, type Node, conditionIs } from '../graph/index.js';
import { podsOn } from './pods/pods-on.js';

/** What every node must have for pods to reach each other. */
const AGENTS = new Set([
  ...['kube-proxy', 'kindnet', 'calico-node', 'canal', 'cilium', 'kube-flannel', 'kube-flannel-ds', 'weave-net'],
  ...['aws-node', 'antrea-agent', 'ovnkube-node', 'azure-cns'],
]);

export function isNetworkAgent({ key }: Node): boolean {
  return key.kind === 'DaemonSet' && AGENTS.has(key.name);
}

/** The network agent pod of a node, if it is not ready. */
export function brokenAgent(nodeName: string, graph: Graph): Node | undefined {
  return podsOn(graph, nodeName).find((pod) => {
    const set = graph.owner(pod);
    return set !== undefined && isNetworkAgent(set) && conditionIs(pod.object, 'Ready', 'False');
  });
}
