import { type JsonObject, numberAt, objectAt } from '../../../model/json/index.js';
import type { Assess, Finding, Rule } from '../../findings/index.js';
import { conditionOf, controllersOf, type Graph, type Node, nodeText, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact } from '../make-finding.js';
import { namedObject } from '../named-objects.js';

/** A custom resource without a status: its operator is down. */
export function withoutStatus(node: Node, graph: Graph): Finding | undefined {
  const status = objectAt(node.object, 'status');
  const age = graph.time - Date.parse(textAt(node.object, 'metadata', 'creationTimestamp'));
  if ((status !== undefined && Object.keys(status).length > 0) || !(age > 300_000)) return undefined;
  const isReconciled = graph.store
    .ofKind(node.key.group, node.key.kind)
    .some((other) => Object.keys(objectAt(other.object, 'status') ?? {}).length > 0);
  const [controller] = controllersOf(graph, node.key.group);
  // Others of its kind are reconciled: the problem is in this one.
  const target = isReconciled ? undefined : (controller ?? graph.store.virtual('Operator', node.key.group));
  return delegate('F15', node, 'reconcile', `no controller reconciles ${nodeText(node)}: it has no status`, {
    evidence: [fact(node, 'status', null)],
    ...(target === undefined ? {} : { target }),
  });
}

/** What has no rule of its own: conditions that every operator writes, then the health check of Argo CD. */
export function anyKindRule(assess: Assess, known: ReadonlySet<string>): Rule {
  return (node, graph) => {
    const id = `${node.key.group}/${node.key.kind}`;
    if (known.has(id) || QUIET.has(id) || node.object === undefined) return [];
    const ready = ['Ready', 'Available', 'Succeeded', 'Healthy', 'Synced', 'Reconciled', 'Established']
      .map((type) => conditionOf(node.object, type))
      .find((condition) => condition !== undefined);
    const stale = staleStatus(node, graph);
    if (stale !== undefined) return [stale];
    if (textAt(ready, 'status') === 'True') return [];
    if (textAt(ready, 'reason') === 'NoTraffic') return [];
    const health = assess(node.object);
    if (ready === undefined && (health === undefined || ['Healthy', 'Suspended'].includes(health.status))) return [];
    const notReconciled =
      ready === undefined && health?.status === 'Progressing' ? withoutStatus(node, graph) : undefined;
    return [notReconciled ?? notReady(node, graph, ready, health)];
  };
}

function notReady(node: Node, graph: Graph, ready: JsonObject | undefined, health: ReturnType<Assess>): Finding {
  const reason = textAt(ready, 'reason');
  const message = textAt(ready, 'message') || (health?.message ?? '');
  const onset = sinceOf(ready);
  const isWaiting = textAt(ready, 'status') !== 'False' && health?.status !== 'Degraded';
  const target = isWaiting ? undefined : namedObject(node, graph, message);
  const path = ready === undefined ? 'status' : `status.conditions[${textAt(ready, 'type')}]`;
  return delegate('H04', node, 'ready', `${nodeText(node)} is not ready: ${reason} ${message}`.trim(), {
    ...(target === undefined ? {} : { target }),
    evidence: [fact(node, path, `${reason}: ${message}`)],
    ...(onset === undefined ? {} : { onset }),
    ...(isWaiting ? { level: 'waiting' } : {}),
    field: 'spec',
    fix: change(node, graph, 'resolve the error in its status'),
  });
}

/** The status is for an older generation of the object. */
export function staleStatus(node: Node, graph: Graph): Finding | undefined {
  const observed = numberAt(node.object, 'status', 'observedGeneration');
  const generation = numberAt(node.object, 'metadata', 'generation');
  if (observed === undefined || generation === undefined || observed >= generation) return undefined;
  return delegate(
    'F15',
    node,
    'reconcile',
    `the controller of ${nodeText(node)} observed generation ${observed} of ${generation}`,
    { evidence: [fact(node, 'status.observedGeneration', observed)], ...operatorOf(node, graph) },
  );
}

function operatorOf(node: Node, graph: Graph): { target?: Node } {
  const [controller] = controllersOf(graph, node.key.group);
  return controller === undefined ? {} : { target: controller };
}

/** Kinds whose objects have no health. */
const QUIET = new Set([
  '/Namespace',
  '/ConfigMap',
  '/Secret',
  '/ServiceAccount',
  '/Endpoints',
  '/ResourceQuota',
  '/LimitRange',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/RoleBinding',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'discovery.k8s.io/EndpointSlice',
  'coordination.k8s.io/Lease',
  'apps/ControllerRevision',
  'policy/PodDisruptionBudget',
  'networking.k8s.io/NetworkPolicy',
  'argoproj.io/AppProject',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/VolumeAttachment',
  'flowcontrol.apiserver.k8s.io/FlowSchema',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
  'scheduling.k8s.io/PriorityClass',
  'metrics.k8s.io/PodMetrics',
  'metrics.k8s.io/NodeMetrics',
  'acme.cert-manager.io/Order',
  'acme.cert-manager.io/Challenge',
]);
