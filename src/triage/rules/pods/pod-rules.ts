import { numberAt, objectsAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionIs, type Graph, isNodeReady, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { staleHook } from '../argo/hooks.js';
import { isFailedBuild } from '../builds/builds.js';
import { act, change, delegate, fact, kubectlName, leaf } from '../make-finding.js';
import { notebookRules } from '../models/notebooks.js';
import { brokenAgent } from '../network-agents.js';
import { crash } from './crashes.js';
import { imageFault } from './images.js';
import { repeatedlyForbidden, refusedByServer } from './log-faults.js';
import { notReady } from './not-ready.js';
import { containerFacts } from './pod-facts.js';
import { killedAgain } from './probes.js';
import { unscheduled } from './scheduling.js';
import { cacheNoise, vaultState } from './special-pods.js';
import { configFault, mountFault } from './starting.js';

/** Registered by kind. */
export const POD_RULES: RuleTable = {
  '/Pod': [podRules],
};

/** A pod fails in one phase at a time: the earliest is reported. */
function podRules(pod: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(pod.object, 'status', 'phase');
  if (phase === 'Succeeded' || isReportedByOwner(pod, graph)) return [];
  if (pod.object?.metadata.deletionTimestamp !== undefined) return terminating(pod, graph);
  const evicted = eviction(pod, graph);
  if (evicted !== undefined) return [evicted];
  const late = pastDeadline(pod, graph);
  if (late !== undefined) return [late];
  const waiting = unscheduled(pod, graph);
  if (waiting.length > 0) return [staleHook(pod, graph) ?? waiting].flat();
  const lost = onLostNode(pod, graph);
  if (lost !== undefined) return [lost];
  const vault = vaultState(pod, graph);
  if (vault !== undefined) return [vault];
  const containers = containerFacts(pod);
  for (const container of containers) {
    const finding =
      imageFault(pod, graph, container) ??
      configFault(pod, graph, container) ??
      crash(pod, graph, container) ??
      killedAgain(pod, graph, container) ??
      repeatedlyForbidden(pod, graph, container) ??
      refusedByServer(pod, graph, container);
    if (finding !== undefined) return [finding];
  }
  const mounting = mountFault(pod, graph, containers);
  if (mounting !== undefined) return [mounting];
  return [...notReady(pod, graph, containers), ...cacheNoise(pod, graph)];
}

/** The kubelet ends a pod that runs longer than it may: exit codes and logs then say nothing. */
function pastDeadline(pod: Node, graph: Graph): Finding | undefined {
  if (textAt(pod.object, 'status', 'reason') !== 'DeadlineExceeded') return undefined;
  const seconds = numberAt(pod.object, 'spec', 'activeDeadlineSeconds');
  const limit = seconds === undefined ? '' : ` of ${seconds}`;
  const say = `${nodeText(pod)} ran longer than its activeDeadlineSeconds${limit}`;
  return leaf('F08', pod, 'run', say, {
    evidence: [fact(pod, 'status.message', textAt(pod.object, 'status', 'message'))],
    field: 'spec.template.spec.activeDeadlineSeconds',
    fix: change(pod, graph, 'raise activeDeadlineSeconds, or find out why it takes so long'),
  });
}

/** The Build or NotebookValidationJob of the pod reports the reason itself. */
function isReportedByOwner(pod: Node, graph: Graph): boolean {
  const owner = graph.owner(pod);
  if (owner?.key.kind === 'Build') return isFailedBuild(owner);
  return owner?.key.kind === 'NotebookValidationJob' && notebookRules(owner, graph).some(({ kind }) => kind === 'leaf');
}

/** Stuck in deletion: its node or a finalizer blocks it. */
function terminating(pod: Node, graph: Graph): Finding[] {
  const age = graph.time - Date.parse(textAt(pod.object, 'metadata', 'deletionTimestamp'));
  if (!(age > 600_000)) return [];
  const finalizers = pod.object?.metadata.finalizers ?? [];
  return [
    delegate(
      'F13',
      pod,
      'run',
      `${nodeText(pod)} is stuck in Terminating for ${Math.round(age / 60_000)} minutes` +
        (finalizers.length > 0 ? `: finalizer ${finalizers.join(', ')}` : ''),
      {
        evidence: [fact(pod, 'metadata.deletionTimestamp', textAt(pod.object, 'metadata', 'deletionTimestamp'))],
        impact: 'note',
      },
    ),
  ];
}

function eviction(pod: Node, graph: Graph): Finding | undefined {
  if (textAt(pod.object, 'status', 'reason') !== 'Evicted') return undefined;
  const message = textAt(pod.object, 'status', 'message');
  const name = textAt(pod.object, 'spec', 'nodeName');
  const evidence = [fact(pod, 'status.message', message)];
  const node = graph.store.get({ group: '', kind: 'Node', namespace: '', name });
  if (/exceeds the (?:local|total|limit)|ephemeral local storage usage exceeds|Usage of EmptyDir volume/.test(message))
    return leaf('C12', pod, 'run', `${nodeText(pod)} exceeded its ephemeral storage limit and was evicted`, {
      evidence,
      field: 'spec.template.spec.containers[].resources.limits.ephemeral-storage',
    });
  const replaced = graph.owner(pod) !== undefined && node !== undefined && isNodeReady(node);
  // A controller replaced it, so an evicted pod on a healthy node is history.
  return delegate('C12', pod, 'run', `${nodeText(pod)} was evicted: ${message}`, {
    evidence,
    ...(node === undefined ? {} : { target: node }),
    ...(replaced ? { impact: 'note' as const } : {}),
    fix: act('delete the evicted pod', [`kubectl delete ${kubectlName(pod)}`]),
  });
}

function onLostNode(pod: Node, graph: Graph): Finding | undefined {
  const name = textAt(pod.object, 'spec', 'nodeName');
  const node = name === '' ? undefined : graph.store.get({ group: '', kind: 'Node', namespace: '', name });
  if (node?.object === undefined || isNodeReady(node) || objectsAt(node.object, 'status', 'conditions').length === 0)
    return undefined;
  // The kubelet responds, and the node waits for exactly this pod: the pod is the cause, not the node.
  if (conditionIs(node.object, 'Ready', 'False') && brokenAgent(name, graph)?.id === pod.id) return undefined;
  return delegate('C11', pod, 'run', `${nodeText(pod)} is on node ${name}, which is not ready`, {
    impact: 'capacity',
    target: node,
    evidence: [fact(pod, 'spec.nodeName', name)],
  });
}
