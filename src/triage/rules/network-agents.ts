import type { Graph } from '../graph/graph.js';
import type { Node } from '../graph/node.js';
import { textAt } from '../json-at.js';
import { conditionIs } from '../verdict/conditions.js';

/** What every node must have for pods to reach each other. */
const AGENTS = /^(kube-proxy|kindnet|calico-node|canal|cilium|kube-flannel(-ds)?|weave-net|aws-node|antrea-agent|ovnkube-node|azure-cns)$/;

export function isNetworkAgent({ key }: Node): boolean {
  return key.kind === 'DaemonSet' && AGENTS.test(key.name);
}

export function podsOn(graph: Graph, nodeName: string): readonly Node[] {
  return graph.once('pods by node', () => {
    const map = new Map<string, Node[]>();
    for (const pod of graph.store.ofKind('', 'Pod')) {
      const name = textAt(pod.object, 'spec', 'nodeName');
      const list = map.get(name);
      if (list === undefined) map.set(name, [pod]);
      else list.push(pod);
    }
    return map;
  }).get(nodeName) ?? [];
}

/** The pod that should give the pods of a node their network, where it is not ready. */
export function brokenAgent(nodeName: string, graph: Graph): Node | undefined {
  return podsOn(graph, nodeName).find((pod) => {
    const set = graph.owner(pod);
    return set !== undefined && isNetworkAgent(set) && conditionIs(pod.object, 'Ready', 'False');
  });
}
