import type { Finding } from '../../findings/index.js';
import { conditionOf, type Graph, hostNames, type Node, nodeText, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact } from '../make-finding.js';
import { brokenAgent } from '../network-agents.js';
import { unhealthyDns } from '../policies.js';
import { runningLogFault } from './log-faults.js';
import { type ContainerFact, eventOf } from './pod-facts.js';
import { probeFault } from './probes.js';

/** It runs and does not serve. */
export function notReady(pod: Node, graph: Graph, containers: readonly ContainerFact[]): Finding[] {
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
