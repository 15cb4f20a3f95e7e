import type { Finding } from '../../findings/index.js';
import { conditionOf, type Graph, hostNames, type Node, nodeText, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact } from '../make-finding.js';
import { brokenAgent } from '../network-agents.js';
import { unhealthyDns } from '../policies.js';
import { runningLogFault } from './log-faults.js';
import { type ContainerFact, eventOf } from './pod-facts.js';
import { probeAnswer, probeFault } from './probes.js';

interface Details {
  readonly evidence: Finding['evidence'];
  readonly onset?: number;
}

/** A pod that runs but is not ready, or does not start. */
export function notReady(pod: Node, graph: Graph, containers: readonly ContainerFact[]): Finding[] {
  const ready = conditionOf(pod.object, 'Ready');
  const [status, reason] = [textAt(ready, 'status'), textAt(ready, 'reason')];
  if (status === 'True' || reason === 'PodCompleted') return [];
  const onset = sinceOf(ready);
  const details: Details = {
    evidence: [fact(pod, 'status.conditions[Ready]', `${status} ${reason} ${textAt(ready, 'message')}`)],
    ...(onset === undefined ? {} : { onset }),
  };
  const probe = firstOf(containers, (container) => failingProbe(pod, graph, container));
  if (probe !== undefined) return [probe];
  const logged = isYoung(pod, graph)
    ? undefined
    : firstOf(containers, (container) => runningLogFault(pod, graph, container));
  if (logged !== undefined) return [{ ...logged, ...details, evidence: [...details.evidence, ...logged.evidence] }];
  const phase = textAt(pod.object, 'status', 'phase');
  if (phase === 'Running' && status === 'False') return [runningNotReady(pod, graph, containers, details)];
  if (phase === 'Failed') {
    const why = `${textAt(pod.object, 'status', 'reason')} ${textAt(pod.object, 'status', 'message')}`;
    return [
      delegate('F02', pod, 'run', `${nodeText(pod)} failed${why.trim() === '' ? '' : `: ${why.trim()}`}`, details),
    ];
  }
  return phase === 'Pending' ? [starting(pod, graph, containers, details)] : [];
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function failingProbe(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  return (
    probeFault(pod, graph, container, 'readinessProbe') ??
    probeFault(pod, graph, container, 'startupProbe') ??
    (container.restarts > 0 ? probeFault(pod, graph, container, 'livenessProbe') : undefined)
  );
}

/** DNS, the network of its node, or another dependency. */
function runningNotReady(pod: Node, graph: Graph, containers: readonly ContainerFact[], ready: Details): Finding {
  const unhealthy = eventOf(pod, graph, /^Unhealthy$/);
  const details =
    unhealthy === undefined
      ? ready
      : { ...ready, evidence: [...ready.evidence, fact(pod, 'event Unhealthy', unhealthy.message)] };
  const title = `${nodeText(pod)} is running but not ready`;
  const names = unhealthyDns(graph);
  if (names !== undefined && containers.some(({ spec, path }) => hostNames(spec, path).length > 0))
    return delegate('G09', pod, 'ready', `${title}: DNS resolution fails in the cluster`, {
      ...details,
      target: names,
    });
  const agent = brokenAgent(textAt(pod.object, 'spec', 'nodeName'), graph);
  if (agent !== undefined && agent.id !== pod.id)
    return delegate('F10', pod, 'ready', `${title}: ${nodeText(agent)} on its node is down`, {
      ...details,
      target: agent,
    });
  const probed = probeThatFails(pod, graph, containers);
  return delegate(probed === undefined ? 'F05' : 'F04', pod, 'ready', probed?.say ?? title, {
    ...details,
    field: probed?.field ?? 'spec.template.spec.containers[].readinessProbe',
    ...patience(pod, graph),
  });
}

/** The probe that keeps a pod from being ready, and what it is answered: what the program needs may be the reason. */
function probeThatFails(
  pod: Node,
  graph: Graph,
  containers: readonly ContainerFact[],
): { readonly say: string; readonly field: string } | undefined {
  return firstOf(['readinessProbe', 'startupProbe'] as const, (name) =>
    firstOf(containers, (container) => {
      const answer = probeAnswer(pod, graph, container, name);
      return answer === undefined
        ? undefined
        : {
            say: `the ${name} of container ${container.name} of ${nodeText(pod)} fails: ${answer}`,
            field: `spec.template.${container.path}.${name}`,
          };
    }),
  );
}

/** An init container that does not complete, or a slow start. */
function starting(pod: Node, graph: Graph, containers: readonly ContainerFact[], details: Details): Finding {
  const preparing = isYoung(pod, graph)
    ? undefined
    : containers.find(
        (container) => container.isInit && container.isRunning && textAt(container.spec, 'restartPolicy') !== 'Always',
      );
  if (preparing === undefined)
    return delegate('F05', pod, 'attach', `${nodeText(pod)} is starting`, { ...details, ...patience(pod, graph) });
  return (
    runningLogFault(pod, graph, preparing) ??
    delegate('F06', pod, 'init', `init container ${preparing.name} of ${nodeText(pod)} does not complete`, {
      ...details,
      evidence: [...details.evidence, fact(pod, `${preparing.path}.command`, preparing.spec.command ?? null)],
      field: `spec.template.${preparing.path}`,
      fix: change(pod, graph, 'correct what it waits for, or its command'),
    })
  );
}

/** A pod that began just now is worth a line, and no more. */
function patience(pod: Node, graph: Graph): Partial<Pick<Finding, 'level' | 'impact'>> {
  return isYoung(pod, graph) ? { level: 'waiting', impact: 'note' } : {};
}

/** Five minutes are normal for a start. */
function isYoung(pod: Node, graph: Graph): boolean {
  const started = Date.parse(
    textAt(pod.object, 'status', 'startTime') || textAt(pod.object, 'metadata', 'creationTimestamp'),
  );
  return graph.time - started < 300_000;
}
