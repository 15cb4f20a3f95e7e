import type { Graph, Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';

/** The pods of a node. */
export function podsOn(graph: Graph, nodeName: string): readonly Node[] {
  return (
    graph
      .once('pods by node', () => {
        const map = new Map<string, Node[]>();
        for (const pod of graph.store.ofKind('', 'Pod')) {
          const name = textAt(pod.object, 'spec', 'nodeName');
          const list = map.get(name);
          if (list === undefined) map.set(name, [pod]);
          else list.push(pod);
        }
        return map;
      })
      .get(nodeName) ?? []
  );
}
