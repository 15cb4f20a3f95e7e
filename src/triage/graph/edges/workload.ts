import { labelSelectorOf } from '../../../model/kubernetes/index.js';
import { textAt } from '../../json/index.js';
import { objectAt, objectsAt } from '../../../model/json/index.js';
import type { Graph } from '../graph.js';
import type { Edge, Node, Phase } from '../node.js';
import { EdgeList } from './edge-list.js';
import { podSpecEdges } from './pod-spec.js';

const MADE: readonly Phase[] = ['ready', 'reconcile', 'serve'];

/** Path of the pod template of each kind that has one. */
export const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  'apps/Deployment': ['spec', 'template'],
  'apps/ReplicaSet': ['spec', 'template'],
  'apps/StatefulSet': ['spec', 'template'],
  'apps/DaemonSet': ['spec', 'template'],
  'batch/Job': ['spec', 'template'],
  'batch/CronJob': ['spec', 'jobTemplate', 'spec', 'template'],
  '/ReplicationController': ['spec', 'template'],
  'argoproj.io/Rollout': ['spec', 'template'],
};

export function podEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  podSpecEdges(list, graph, node, objectAt(node.object, 'spec'), 'spec');
  return list.edges;
}

/** A controller needs the objects it created; before there are any, it needs what its template references. */
export function workloadEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  list.children(MADE);
  const path = TEMPLATES[`${node.key.group}/${node.key.kind}`] ?? [];
  const spec = objectAt(node.object, ...path, 'spec');
  podSpecEdges(list, graph, node, spec, [...path, 'spec'].join('.'));
  if (node.key.kind !== 'StatefulSet') return list.edges;
  list.refer({
    kind: 'Service',
    name: textAt(node.object, 'spec', 'serviceName'),
    field: 'spec.serviceName',
    phases: ['serve'],
  });
  claimEdges(list, node, graph);
  return list.edges;
}

/** `data-db-0` belongs to claim template `data` of StatefulSet `db`: the whole name must fit. */
function claimEdges(list: EdgeList, node: Node, graph: Graph): void {
  const { namespace, name } = node.key;
  for (const template of objectsAt(node.object, 'spec', 'volumeClaimTemplates')) {
    const prefix = `${textAt(template, 'metadata', 'name')}-${name}-`;
    for (const claim of graph.store.inNamespace('', 'PersistentVolumeClaim', namespace)) {
      if (claim.key.name.startsWith(prefix) && /^\d+$/.test(claim.key.name.slice(prefix.length)))
        list.add(claim, { field: 'spec.volumeClaimTemplates', type: 'data', phases: ['ready'] });
    }
  }
}

/** An autoscaler needs its target; a disruption budget needs no pods. */
export function autoscalerEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  const target = objectAt(node.object, 'spec', 'scaleTargetRef');
  const group =
    textAt(target, 'apiVersion').split('/').length > 1 ? (textAt(target, 'apiVersion').split('/')[0] ?? '') : '';
  const kind = textAt(target, 'kind') || 'Deployment';
  list.refer({
    group: group === '' && kind === 'Deployment' ? 'apps' : group,
    kind,
    name: textAt(target, 'name'),
    field: 'spec.scaleTargetRef',
    phases: ['reconcile'],
  });
  list.referCluster({
    group: 'apiregistration.k8s.io',
    kind: 'APIService',
    name: node.key.kind === 'HorizontalPodAutoscaler' ? 'v1beta1.metrics.k8s.io' : '',
    field: 'spec.metrics',
    phases: ['reconcile'],
    grade: 'C',
  });
  return list.edges;
}

export function budgetEdges(node: Node, graph: Graph): Edge[] {
  const list = new EdgeList(node, graph);
  for (const pod of graph.pods(node.key.namespace, labelSelectorOf(objectAt(node.object, 'spec', 'selector'))))
    list.add(pod, { field: 'spec.selector', type: 'data', phases: ['reconcile'] });
  return list.edges;
}
