import {
  type Graph,
  nodeText,
  type Node,
  conditionIs,
  conditionOf,
  isNodeReady,
  sinceOf,
  hostNames,
} from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { staleHook } from '../argo/hooks.js';
import { isFailedBuild, notebookRules } from '../operators.js';
import { brokenAgent } from '../network-agents.js';
import { unhealthyDns } from '../policies.js';
import { act, change, delegate, fact, kubectlName, leaf, shellWord } from '../make-finding.js';
import { crash, repeatedlyForbidden, runningLogFault } from './crashes.js';
import { imageFault } from './images.js';
import { containerFacts, eventOf, type ContainerFact } from './pod-facts.js';
import { probeFault } from './probes.js';
import { unscheduled } from './scheduling.js';
import { configFault, mountFault } from './starting.js';

/** A pod shows one failing phase at a time: the first in the order of its life is told. */
export function podRules(pod: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(pod.object, 'status', 'phase');
  if (phase === 'Succeeded' || isReportedByOwner(pod, graph)) return [];
  if (pod.object?.metadata.deletionTimestamp !== undefined) return leaving(pod, graph);
  const evicted = eviction(pod, graph);
  if (evicted !== undefined) return [evicted];
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
      repeatedlyForbidden(pod, graph, container);
    if (finding !== undefined) return [finding];
  }
  const mounting = mountFault(pod, graph, containers);
  if (mounting !== undefined) return [mounting];
  return [...notReady(pod, graph, containers), ...cacheNoise(pod, graph)];
}

/** The build or the notebook that the pod was made for says itself why it failed. */
function isReportedByOwner(pod: Node, graph: Graph): boolean {
  const owner = graph.owner(pod);
  if (owner?.key.kind === 'Build') return isFailedBuild(owner);
  return owner?.key.kind === 'NotebookValidationJob' && notebookRules(owner, graph).some(({ kind }) => kind === 'leaf');
}

/** Vault says by labels of its pods whether it was ever initialised and whether it is open. */
function vaultState(pod: Node, graph: Graph): Finding | undefined {
  const label = (name: string): string => textAt(pod.object, 'metadata', 'labels', name);
  if (
    textAt(conditionOf(pod.object, 'Ready'), 'status') === 'True' ||
    textAt(pod.object, 'status', 'phase') !== 'Running'
  )
    return undefined;
  const exec = `kubectl exec -i ${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)} --`;
  if (label('vault-initialized') === 'false') {
    return leaf('B21', pod, 'ready', `the vault in ${nodeText(pod)} was never initialised`, {
      impact: 'infrastructure',
      blamed: pod,
      field: "metadata.labels['vault-initialized']",
      evidence: [fact(pod, "metadata.labels['vault-initialized']", 'false')],
      fix: act(
        'let its bootstrap job initialise it, or do it by hand and keep the keys where they belong',
        [`${exec} vault operator init -status`],
        { where: 'outside', reversible: false, verify: `${exec} vault status` },
      ),
    });
  }
  if (label('vault-sealed') !== 'true') return undefined;
  return leaf('B06', pod, 'ready', `the vault in ${nodeText(pod)} is sealed`, {
    impact: 'infrastructure',
    field: 'status',
    signature: `sealed ${graph.top(pod).id}`,
    evidence: [fact(pod, "metadata.labels['vault-sealed']", 'true')],
    fix: act(
      'unseal it; configure auto-unseal so that a restart does not seal it',
      [`${exec} vault operator unseal -   # the key by standard input`],
      { verify: `${exec} vault status` },
    ),
  });
}

/**
 * A line of Argo CD's controller that says nothing about the cluster: an entry of its cache ended and was made again.
 */
function cacheNoise(pod: Node, graph: Graph): Finding[] {
  const lines = graph
    .logs(pod)
    .flatMap((log) => log.lines)
    .filter((line) => line.includes('DiffFromCache error') && line.includes('cache: key is missing'));
  if (lines.length === 0) return [];
  return [
    leaf(
      'A47',
      pod,
      'run',
      `${nodeText(pod)} wrote ${lines.length} lines about missing keys of its cache: entries end after an ` +
        'hour and are made again',
      {
        impact: 'note',
        level: 'waiting',
        field: 'spec.template.spec.containers[].env',
        evidence: [fact(pod, 'log', lines.at(-1) ?? '')],
        fix: change(
          pod,
          graph,
          'noise: set ARGOCD_APP_STATE_CACHE_EXPIRATION to some hours (10h at most) to see less of it',
        ),
      },
    ),
  ];
}

/** Asked to go long ago and still here: its node or a finalizer keeps it. */
function leaving(pod: Node, graph: Graph): Finding[] {
  const age = graph.time - Date.parse(textAt(pod.object, 'metadata', 'deletionTimestamp'));
  if (!(age > 600_000)) return [];
  const finalizers = pod.object?.metadata.finalizers ?? [];
  return [
    delegate(
      'F13',
      pod,
      'run',
      `${nodeText(pod)} should have gone ${Math.round(age / 60_000)} minutes ` +
        `ago${finalizers.length > 0 ? ` and is kept by ${finalizers.join(', ')}` : ''}`,
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
    return leaf('C12', pod, 'run', `${nodeText(pod)} used more disk than its limit and was evicted`, {
      evidence,
      field: 'spec.template.spec.containers[].resources.limits.ephemeral-storage',
    });
  const replaced = graph.owner(pod) !== undefined && node !== undefined && isNodeReady(node);
  // A controller made another one, so an evicted pod on a sound node is history.
  return delegate('C12', pod, 'run', `${nodeText(pod)} was evicted: ${message}`, {
    evidence,
    ...(node === undefined ? {} : { target: node }),
    ...(replaced ? { impact: 'note' as const } : {}),
    fix: act('delete what is left of the pod', [`kubectl delete ${kubectlName(pod)}`]),
  });
}

function onLostNode(pod: Node, graph: Graph): Finding | undefined {
  const name = textAt(pod.object, 'spec', 'nodeName');
  const node = name === '' ? undefined : graph.store.get({ group: '', kind: 'Node', namespace: '', name });
  if (node?.object === undefined || isNodeReady(node) || objectsAt(node.object, 'status', 'conditions').length === 0)
    return undefined;
  // The kubelet still speaks, and the node waits for just this pod: it is the other way round.
  if (conditionIs(node.object, 'Ready', 'False') && brokenAgent(name, graph)?.id === pod.id) return undefined;
  return delegate('C11', pod, 'run', `${nodeText(pod)} is on node ${name}, which is not ready`, {
    target: node,
    evidence: [fact(pod, 'spec.nodeName', name)],
  });
}

/** It runs and does not serve. */
function notReady(pod: Node, graph: Graph, containers: readonly ContainerFact[]): Finding[] {
  const ready = conditionOf(pod.object, 'Ready');
  const isRunning = textAt(pod.object, 'status', 'phase') === 'Running';
  if (textAt(ready, 'status') === 'True' || textAt(ready, 'reason') === 'PodCompleted') return [];
  const onset = sinceOf(ready);
  const told = {
    evidence: [
      fact(
        pod,
        'status.conditions[Ready]',
        `${textAt(ready, 'status')} ${textAt(ready, 'reason')} ${textAt(ready, 'message')}`,
      ),
    ],
    ...(onset === undefined ? {} : { onset }),
  };
  for (const container of containers) {
    const finding =
      probeFault(pod, graph, container, 'readinessProbe') ??
      probeFault(pod, graph, container, 'startupProbe') ??
      (container.restarts > 0 ? probeFault(pod, graph, container, 'livenessProbe') : undefined);
    if (finding !== undefined) return [finding];
  }
  const said = isYoung(pod, graph)
    ? undefined
    : containers.map((container) => runningLogFault(pod, graph, container)).find((finding) => finding !== undefined);
  if (said !== undefined)
    return [{ ...said, evidence: [...told.evidence, ...said.evidence], ...(onset === undefined ? {} : { onset }) }];
  const unhealthy = eventOf(pod, graph, /^Unhealthy$/);
  if (isRunning && textAt(ready, 'status') === 'False') {
    const evidence =
      unhealthy === undefined ? told.evidence : [...told.evidence, fact(pod, 'event Unhealthy', unhealthy.message)];
    const names = unhealthyDns(graph);
    if (names !== undefined && containers.some(({ spec, path }) => hostNames(spec, path).length > 0))
      return [
        delegate(
          'G09',
          pod,
          'ready',
          `${nodeText(pod)} runs and is not ready: it asks others by name, and names do not resolve`,
          { ...told, evidence, target: names },
        ),
      ];
    const agent = brokenAgent(textAt(pod.object, 'spec', 'nodeName'), graph);
    if (agent !== undefined && agent.id !== pod.id)
      return [
        delegate(
          'F10',
          pod,
          'ready',
          `${nodeText(pod)} runs and is not ready on a node whose ${nodeText(agent)} does not work`,
          { ...told, evidence, target: agent },
        ),
      ];
    return [
      delegate('F05', pod, 'ready', `${nodeText(pod)} runs and is not ready`, {
        ...told,
        evidence,
        field: 'spec.template.spec.containers[].readinessProbe',
        ...(isYoung(pod, graph) ? { level: 'waiting' as const, impact: 'note' as const } : {}),
      }),
    ];
  }
  if (textAt(pod.object, 'status', 'phase') === 'Failed')
    return [
      delegate(
        'F02',
        pod,
        'run',
        `${nodeText(pod)} has failed: ${textAt(pod.object, 'status', 'reason')} ${textAt(pod.object, 'status', 'message')}`.trim(),
        told,
      ),
    ];
  if (textAt(pod.object, 'status', 'phase') !== 'Pending') return [];
  const preparing = isYoung(pod, graph)
    ? undefined
    : containers.find(
        (container) => container.isInit && container.isRunning && textAt(container.spec, 'restartPolicy') !== 'Always',
      );
  const asked = preparing === undefined ? undefined : runningLogFault(pod, graph, preparing);
  if (asked !== undefined) return [asked];
  if (preparing !== undefined)
    return [
      delegate(
        'F06',
        pod,
        'init',
        `container ${preparing.name} of ${nodeText(pod)}, which prepares the pod, does not come to its end`,
        {
          ...told,
          evidence: [...told.evidence, fact(pod, `${preparing.path}.command`, preparing.spec.command ?? null)],
          field: `spec.template.${preparing.path}`,
          fix: change(pod, graph, 'correct what it waits for, or its command'),
        },
      ),
    ];
  return [
    delegate('F05', pod, 'attach', `${nodeText(pod)} is starting`, {
      ...told,
      ...(isYoung(pod, graph) ? { level: 'waiting' as const, impact: 'note' as const } : {}),
    }),
  ];
}

/** Five minutes are normal for a start. */
function isYoung(pod: Node, graph: Graph): boolean {
  const started = Date.parse(
    textAt(pod.object, 'status', 'startTime') || textAt(pod.object, 'metadata', 'creationTimestamp'),
  );
  return graph.time - started < 300_000;
}
