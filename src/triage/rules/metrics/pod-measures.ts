import { valueAt } from '../../../model/json/index.js';
import type { Evidence, Finding, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { amountOf, wordOf } from '../../json/index.js';
import { change, leaf } from '../make-finding.js';
import { type ContainerFact, containerFacts } from '../pods/pod-facts.js';
import { lately, lastOf, type Measure, measured, type MeasureName } from './measures.js';

/** Registered by kind. */
export const POD_MEASURE_RULES: RuleTable = {
  '/Pod': [podMeasures],
};

/** A container that waits for the processor in so many of its periods answers late; in half of them it is slow. */
const THROTTLED = 0.25;
const THROTTLED_BADLY = 0.5;
const NEAR_LIMIT = 0.95;
const PACKETS_LOST = 0.01;

function podMeasures(pod: Node, graph: Graph): readonly Finding[] {
  if (graph.seriesNames.length === 0) return [];
  const found = containerFacts(pod).flatMap((container) => [
    ...throttled(pod, graph, container),
    ...nearMemoryLimit(pod, graph, container),
  ]);
  return [...found, ...packetsLost(pod, graph)];
}

/** The measure of a container; of a table that shows pods only, that of its pod if it has one container. */
function ofContainer(name: MeasureName, pod: Node, graph: Graph, container: string): Measure | undefined {
  const byPod = graph.once(`${name} by pod`, () => {
    const map = new Map<string, Measure[]>();
    for (const each of measured(name, graph)) {
      const id = `${each.labels.namespace ?? ''}/${each.labels.pod ?? ''}`;
      map.set(id, [...(map.get(id) ?? []), each]);
    }
    return map;
  });
  const own = byPod.get(`${pod.key.namespace}/${pod.key.name}`) ?? [];
  return (
    own.find(({ labels }) => (labels.container ?? '') === container) ??
    (own.length === 1 && (own[0]?.labels.container ?? '') === '' && containerFacts(pod).length === 1
      ? own[0]
      : undefined)
  );
}

export function share(value: number): string {
  return `${Math.round(value * 100)} %`;
}

export function measure(of: string, path: string, value: string, { samples }: Measure): Evidence {
  return { of, path, value, samples: samples.slice(-120) };
}

/** Whether a pod gets less of the processor than it asks for: what it serves is then slow. */
export function isThrottled(pod: Node, graph: Graph): boolean {
  return containerFacts(pod).some((container) =>
    throttled(pod, graph, container).some(({ impact }) => impact === 'capacity'),
  );
}

function throttled(pod: Node, graph: Graph, container: ContainerFact): Finding[] {
  const limit = valueAt(container.spec, 'resources', 'limits', 'cpu');
  const waits = ofContainer('cpuThrottled', pod, graph, container.name);
  const used = ofContainer('cpuCores', pod, graph, container.name);
  const [waiting, cores] = [waits === undefined ? 0 : lately(waits), used === undefined ? 0 : lately(used)];
  const ofLimit = amountOf(limit) > 0 ? cores / amountOf(limit) : 0;
  if (waiting < THROTTLED && ofLimit < NEAR_LIMIT) return [];
  const says =
    waiting >= THROTTLED
      ? `is throttled in ${share(waiting)} of its CPU periods`
      : `uses ${share(ofLimit)} of its CPU limit`;
  const field = `${container.path}.resources.limits.cpu`;
  return [
    leaf(
      'F22',
      pod,
      'run',
      `container ${container.name} of ${nodeText(pod)} ${says}${limit === undefined ? '' : `, limit ${wordOf(limit)}`}`,
      {
        suspect: true,
        impact: waiting >= THROTTLED_BADLY || ofLimit >= NEAR_LIMIT ? 'capacity' : 'note',
        field: `spec.template.${field}`,
        evidence: [
          ...(waits === undefined ? [] : [measure(nodeText(pod), 'throttled periods', share(waiting), waits)]),
          ...(used === undefined ? [] : [measure(nodeText(pod), 'CPU', `${cores.toFixed(3)} cores`, used)]),
          { of: nodeText(pod), path: field, value: wordOf(limit) },
        ],
        fix: change(pod, graph, 'raise the CPU limit or remove it, or find out what uses the processor'),
      },
    ),
  ];
}

/** A cache may fill its memory on purpose: a note, unless it was killed before. */
function nearMemoryLimit(pod: Node, graph: Graph, container: ContainerFact): Finding[] {
  const limit = valueAt(container.spec, 'resources', 'limits', 'memory');
  const used = ofContainer('memoryBytes', pod, graph, container.name);
  if (used === undefined || amountOf(limit) === 0) return [];
  const ofLimit = lastOf(used) / amountOf(limit);
  if (ofLimit < NEAR_LIMIT) return [];
  const wasKilled = container.ended === 'OOMKilled';
  return [
    leaf(
      'F01',
      pod,
      'run',
      `container ${container.name} of ${nodeText(pod)} uses ${share(ofLimit)} of its memory limit of ${wordOf(limit)}`,
      {
        suspect: true,
        impact: wasKilled ? 'capacity' : 'note',
        field: `spec.template.${container.path}.resources.limits.memory`,
        evidence: [measure(nodeText(pod), 'memory', `${Math.round(lastOf(used) / 2 ** 20)} MiB`, used)],
        fix: change(pod, graph, 'raise the memory limit, or find out what uses the memory'),
      },
    ),
  ];
}

function packetsLost(pod: Node, graph: Graph): Finding[] {
  const lost = measured('podPacketsLost', graph).find(
    ({ labels }) => labels.namespace === pod.key.namespace && labels.pod === pod.key.name,
  );
  if (lost === undefined || lately(lost) < PACKETS_LOST) return [];
  return [
    leaf('G14', pod, 'run', `the network of ${nodeText(pod)} loses ${share(lately(lost))} of its packets`, {
      suspect: true,
      field: 'status.podIP',
      evidence: [measure(nodeText(pod), 'packets lost', share(lately(lost)), lost)],
      fix: {
        where: 'outside',
        say: 'look for traffic shaping, a broken link or a full queue between the pod and its node',
        commands: [],
        risk: 'none',
        reversible: true,
        verify: '',
      },
    }),
  ];
}
