import { numberAt, valueAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionIs, conditionOf, type Graph, isUnseen, type Node, nodeText, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { isNetworkAgent } from '../network-agents.js';
import { noRoomForPod } from '../quotas.js';
import { stopped } from './stopped.js';
import { admissionRejection } from './admission.js';

/** Registered by kind. */
export const ROLLOUT_RULES: RuleTable = {
  'apps/Deployment': [deploymentRules],
  'argoproj.io/Rollout': [deploymentRules],
  'apps/ReplicaSet': [replicaSetRules],
  '/ReplicationController': [replicaSetRules],
  'apps/StatefulSet': [statefulSetRules],
  'apps/DaemonSet': [daemonSetRules],
};

/** Paused on purpose; with a pending template, git and the cluster differ. */
function paused(node: Node, graph: Graph): Finding {
  const isBehind =
    (numberAt(node.object, 'status', 'updatedReplicas') ?? 0) < (numberAt(node.object, 'status', 'replicas') ?? 0);
  return leaf(
    'F09',
    node,
    'ready',
    `${nodeText(node)} is paused${isBehind ? ' before its new template is rolled out' : ''}`,
    {
      impact: isBehind ? 'drift' : 'note',
      field: 'spec.paused',
      evidence: [fact(node, 'spec.paused', true)],
      fix: change(node, graph, 'resume it unless the pause is intended', { risk: 'restart' }),
    },
  );
}

/** A Deployment or similar kind without enough available pods. */
function deploymentRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  if (isUnseen(node, 'status')) return [];
  const wanted = numberAt(object, 'spec', 'replicas') ?? 1;
  if (wanted === 0) return stopped(node, graph);
  if (valueAt(object, 'spec', 'paused') === true) return [paused(node, graph)];
  const available = numberAt(object, 'status', 'availableReplicas') ?? 0;
  const updated = numberAt(object, 'status', 'updatedReplicas') ?? 0;
  const notReconciled = notObserved(node, graph);
  if (notReconciled !== undefined) return [notReconciled];
  const progress = conditionOf(object, 'Progressing');
  const isLate =
    textAt(progress, 'reason') === 'ProgressDeadlineExceeded' || conditionIs(object, 'ReplicaFailure', 'True');
  if (available >= wanted && updated >= wanted && !isLate) return [];
  const onset = sinceOf(conditionIs(object, 'Available', 'False') ? conditionOf(object, 'Available') : progress);
  return [
    delegate(
      available > 0 ? 'F08' : 'F07',
      node,
      'ready',
      `${nodeText(node)} has ${available} of ${wanted} pods available${isLate ? ', past its progress deadline' : ''}`,
      {
        evidence: [
          fact(node, 'status.availableReplicas', available),
          fact(node, 'status.conditions[Progressing].reason', textAt(progress, 'reason')),
        ],
        ...(onset === undefined ? {} : { onset }),
        ...(isLate || available === 0
          ? {}
          : { level: isYoungRollout(node, graph) ? ('waiting' as const) : ('fault' as const) }),
      },
    ),
  ];
}

/** Its controller has not reconciled it: the controller manager or an operator is down. */
function notObserved(node: Node, graph: Graph): Finding | undefined {
  const generation = numberAt(node.object, 'metadata', 'generation') ?? 0;
  const observed = numberAt(node.object, 'status', 'observedGeneration');
  const age = graph.time - Date.parse(textAt(node.object, 'metadata', 'creationTimestamp'));
  if (generation === 0 || (observed !== undefined && observed >= generation) || !(age > 120_000)) return undefined;
  if (observed === undefined && graph.store.children(node).length > 0) return undefined;
  return delegate(
    'F15',
    node,
    'reconcile',
    `no controller reconciles ${nodeText(node)}: observed generation ${observed ?? 'none'} of ${generation}`,
    {
      evidence: [
        fact(node, 'status.observedGeneration', observed ?? null),
        fact(node, 'metadata.generation', generation),
      ],
      target: graph.store.virtual('Component', 'kube-controller-manager'),
      impact: 'infrastructure',
    },
  );
}

function isYoungRollout(node: Node, graph: Graph): boolean {
  const updated = Date.parse(
    textAt(conditionOf(node.object, 'Progressing'), 'lastUpdateTime') ||
      textAt(conditionOf(node.object, 'Progressing'), 'lastTransitionTime'),
  );
  return graph.time - updated < (numberAt(node.object, 'spec', 'progressDeadlineSeconds') ?? 600) * 1000;
}

/** A ReplicaSet of an older rollout is ignored. */
function replicaSetRules(node: Node, graph: Graph): readonly Finding[] {
  if (isUnseen(node, 'status')) return [];
  const wanted = numberAt(node.object, 'spec', 'replicas') ?? 1;
  const ready = numberAt(node.object, 'status', 'readyReplicas') ?? 0;
  if (wanted === 0 || isReplaced(node, graph)) return [];
  const rejected = admissionRejection(node, graph);
  if (rejected !== undefined) return [rejected];
  const isUnmade = graph.store.children(node).length === 0 && (numberAt(node.object, 'status', 'replicas') ?? 0) === 0;
  const crowded = isUnmade ? noRoomForPod(node, graph) : undefined;
  if (crowded !== undefined) return [crowded];
  return ready >= wanted
    ? []
    : [
        delegate('F07', node, 'ready', `${nodeText(node)} has ${ready} of ${wanted} pods ready`, {
          evidence: [fact(node, 'status.readyReplicas', ready)],
        }),
      ];
}

/** A newer ReplicaSet of the same Deployment has pods: what happened to this one is history. */
function isReplaced(node: Node, graph: Graph): boolean {
  const owner = graph.owner(node);
  if (owner === undefined) return false;
  const revisionOf = ({ object }: Node): number =>
    Number(textAt(object, 'metadata', 'annotations', 'deployment.kubernetes.io/revision'));
  return graph.store
    .children(owner)
    .some(
      (other) =>
        other.key.kind === node.key.kind &&
        (numberAt(other.object, 'spec', 'replicas') ?? 1) > 0 &&
        revisionOf(other) > revisionOf(node),
    );
}

function statefulSetRules(node: Node, graph: Graph): readonly Finding[] {
  const wanted = numberAt(node.object, 'spec', 'replicas') ?? 1;
  const ready = numberAt(node.object, 'status', 'readyReplicas') ?? 0;
  if (wanted === 0) return stopped(node, graph);
  const rejected = admissionRejection(node, graph);
  if (rejected !== undefined) return [rejected];
  if (ready >= wanted) return [];
  return [
    notObserved(node, graph) ??
      delegate('F07', node, 'ready', `${nodeText(node)} has ${ready} of ${wanted} pods ready`, {
        evidence: [fact(node, 'status.readyReplicas', ready)],
      }),
  ];
}

function daemonSetRules(node: Node, graph: Graph): readonly Finding[] {
  const wanted = numberAt(node.object, 'status', 'desiredNumberScheduled') ?? 0;
  const ready = numberAt(node.object, 'status', 'numberReady') ?? 0;
  const rejected = admissionRejection(node, graph);
  if (rejected !== undefined) return [rejected];
  if (wanted === 0 && isNetworkAgent(node) && graph.store.ofKind('', 'Node').length > 0)
    return [
      leaf('F07', node, 'ready', `${nodeText(node)} runs on no node, and without it pods cannot reach Services`, {
        impact: 'infrastructure',
        field: 'spec.template.spec.nodeSelector',
        evidence: [
          fact(node, 'status.desiredNumberScheduled', wanted),
          fact(
            node,
            'spec.template.spec.nodeSelector',
            valueAt(node.object, 'spec', 'template', 'spec', 'nodeSelector'),
          ),
        ],
        fix: change(node, graph, 'correct the nodeSelector so that it runs on every node'),
      }),
    ];
  return ready >= wanted
    ? []
    : [
        delegate('F07', node, 'ready', `${nodeText(node)} is ready on ${ready} of ${wanted} nodes`, {
          evidence: [fact(node, 'status.numberReady', ready)],
        }),
      ];
}
