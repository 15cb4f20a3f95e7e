import { textAt } from '../../json/index.js';
import { objectAt, objectsAt } from '../../../model/json/index.js';
import type { Graph } from '../graph.js';
import type { Edge, Node } from '../node.js';
import { EdgeList } from './edge-list.js';

const STORAGE = 'storage.k8s.io';

/** A claim waits for its class and volume; one that waits for a consumer waits for the pods that mount it. */
export function claimEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const name = textAt(node.object, 'spec', 'storageClassName');
  list.referCluster({ group: STORAGE, kind: 'StorageClass', name, field: 'spec.storageClassName', phases: ['attach'] });
  list.referCluster({
    kind: 'PersistentVolume',
    name: textAt(node.object, 'spec', 'volumeName'),
    field: 'spec.volumeName',
    phases: ['attach', 'reconcile'],
    type: 'data',
  });
  const source = objectAt(node.object, 'spec', 'dataSourceRef') ?? objectAt(node.object, 'spec', 'dataSource');
  list.refer({
    group: textAt(source, 'apiGroup'),
    kind: textAt(source, 'kind') || 'PersistentVolumeClaim',
    name: textAt(source, 'name'),
    field: 'spec.dataSourceRef',
    phases: ['attach'],
    type: 'data',
  });
  for (const pod of consumers(node, graph))
    list.add(pod, { field: 'Pod.spec.volumes[].persistentVolumeClaim.claimName', type: 'data', phases: ['schedule'] });
  return list.edges;
}

/** Pods that mount a claim. */
export function consumers(claim: Node, graph: Graph): readonly Node[] {
  const byClaim = graph.once('pods by claim', () => {
    const map = new Map<string, Node[]>();
    for (const pod of graph.store.ofKind('', 'Pod')) {
      for (const volume of objectsAt(pod.object, 'spec', 'volumes')) {
        const name = textAt(volume, 'persistentVolumeClaim', 'claimName');
        if (name === '') continue;
        const key = `${pod.key.namespace}/${name}`;
        map.set(key, [...(map.get(key) ?? []), pod]);
      }
    }
    return map;
  });
  return byClaim.get(`${claim.key.namespace}/${claim.key.name}`) ?? [];
}

export function volumeEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.referCluster({
    group: STORAGE,
    kind: 'CSIDriver',
    name: textAt(node.object, 'spec', 'csi', 'driver'),
    field: 'spec.csi.driver',
    phases: ['attach'],
  });
  list.referCluster({
    group: STORAGE,
    kind: 'StorageClass',
    name: textAt(node.object, 'spec', 'storageClassName'),
    field: 'spec.storageClassName',
    phases: ['reconcile'],
    optional: true,
  });
  return list.edges;
}

/** A class needs the controller of its driver: a workload whose image or name is the driver's, by convention. */
export function storageClassEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const provisioner = textAt(node.object, 'provisioner');
  for (const workload of driverControllers(graph, provisioner))
    list.add(workload, { field: 'provisioner', type: 'data', phases: ['attach', 'reconcile'], grade: 'C' });
  return list.edges;
}

/** Workloads that carry the name of a driver in an argument, an environment variable or a label. */
export function driverControllers(graph: Graph, provisioner: string): Node[] {
  if (provisioner === '' || provisioner === 'kubernetes.io/no-provisioner') return [];
  const word = provisioner.replace(/^.*\//, '');
  const mentions = (node: Node): boolean => {
    const text = JSON.stringify(objectAt(node.object, 'spec', 'template') ?? {});
    return text.includes(provisioner) || (text.includes('csi-provisioner') && text.includes(word));
  };
  return ['Deployment', 'StatefulSet'].flatMap((kind) => graph.store.ofKind('apps', kind)).filter(mentions);
}

export function attachmentEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.referCluster({
    kind: 'Node',
    name: textAt(node.object, 'spec', 'nodeName'),
    field: 'spec.nodeName',
    phases: ['attach'],
    type: 'data',
  });
  list.referCluster({
    kind: 'PersistentVolume',
    name: textAt(node.object, 'spec', 'source', 'persistentVolumeName'),
    field: 'spec.source.persistentVolumeName',
    phases: ['attach'],
    type: 'data',
  });
  return list.edges;
}
