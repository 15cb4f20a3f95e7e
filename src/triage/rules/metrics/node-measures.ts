import { objectsAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionIs, type Graph, type Node, nodeText } from '../../graph/index.js';
import { amountOf, textAt } from '../../json/index.js';
import type { Sample } from '../../snapshot/index.js';
import { act, change, leaf, shellWord } from '../make-finding.js';
import { lately, lastOf, type Measure, measured, type MeasureName } from './measures.js';
import { measure, share } from './pod-measures.js';

/** Registered by kind. */
export const NODE_MEASURE_RULES: RuleTable = {
  '/Node': [nodeMeasures],
  '/PersistentVolumeClaim': [volumeMeasures],
};

const SATURATED = 0.95;
const DISK_FULL = 0.95;
const PACKETS_LOST = 0.01;
const SEGMENTS_RESENT = 0.05;

function nodeMeasures(node: Node, graph: Graph): readonly Finding[] {
  if (graph.seriesNames.length === 0) return [];
  return [...saturated(node, graph), ...fullDisk(node, graph), ...unreliable(node, graph)];
}

/** The measures of a node: exporters name it, its address, or the address with their port. */
export function ofNode(name: MeasureName, node: Node, graph: Graph): Measure[] {
  const names = graph.once(`names of ${node.id}`, () => {
    const addresses = objectsAt(node.object, 'status', 'addresses').map((each) => textAt(each, 'address'));
    return new Set([node.key.name, textAt(node.object, 'metadata', 'labels', 'kubernetes.io/hostname'), ...addresses]);
  });
  return measured(name, graph).filter(({ labels }) => {
    const text = labels.node ?? labels.instance ?? '';
    return text !== '' && (names.has(text) || names.has(text.replace(/:\d+$/, '')));
  });
}

function saturated(node: Node, graph: Graph): Finding[] {
  return (
    [
      ['nodeCpuUsed', 'cpuCores', 'cpu', 'CPU'],
      ['nodeMemoryUsed', 'memoryBytes', 'memory', 'memory'],
    ] as const
  ).flatMap(([name, fromServer, resource, word]) => {
    const [of] = ofNode(name, node, graph);
    const used = of ?? ofTop(fromServer, resource, node, graph);
    if (used === undefined || lately(used) < SATURATED) return [];
    return [
      leaf('C18', node, 'run', `node ${node.key.name} uses ${share(lately(used))} of its ${word}`, {
        suspect: true,
        impact: 'capacity',
        field: `status.capacity.${resource}`,
        evidence: [measure(nodeText(node), word, share(lately(used)), used)],
        fix: act(`find the pods that use the ${word}, set limits for them, or add nodes`, [
          `kubectl top pods -A --sort-by=${resource}`,
        ]),
      }),
    ];
  });
}

/** What metrics-server says of a node, as a share of what it can give. */
function ofTop(name: MeasureName, resource: string, node: Node, graph: Graph): Measure | undefined {
  const allocatable = amountOf(textAt(node.object, 'status', 'allocatable', resource));
  const series = graph
    .series(name === 'cpuCores' ? 'argosy_node_cpu_cores' : 'argosy_node_memory_bytes')
    .find(({ labels }) => labels.node === node.key.name);
  if (series === undefined || allocatable === 0) return undefined;
  return { labels: series.labels, samples: series.samples.map(([time, value]): Sample => [time, value / allocatable]) };
}

/** File systems that are no disk, or that pods share with the node's own. */
const NO_DISK = /^\/(?:run|dev|sys|proc|snap|boot)\b|\/(?:pods|containers|overlay2?|netns|shm)\//;

function fullDisk(node: Node, graph: Graph): Finding[] {
  if (conditionIs(node.object, 'DiskPressure', 'True')) return [];
  const full = ofNode('diskUsed', node, graph)
    .filter(({ labels }) => !NO_DISK.test(labels.mountpoint ?? ''))
    .sort((a, b) => lastOf(b) - lastOf(a))[0];
  if (full === undefined || lastOf(full) < DISK_FULL) return [];
  const mount = full.labels.mountpoint ?? '';
  return [
    leaf('C18', node, 'run', `the disk of node ${node.key.name} is ${share(lastOf(full))} full (${mount})`, {
      suspect: true,
      impact: 'capacity',
      field: 'status.conditions[DiskPressure]',
      evidence: [measure(nodeText(node), `disk ${mount}`, share(lastOf(full)), full)],
      fix: act('free space: images, logs and volumes of pods', [`kubectl describe node ${shellWord(node.key.name)}`]),
    }),
  ];
}

function unreliable(node: Node, graph: Graph): Finding[] {
  const lost = [...ofNode('nodePacketsLost', node, graph)].sort((a, b) => lately(b) - lately(a))[0];
  const resent = ofNode('segmentsResent', node, graph)[0];
  const isLossy = lost !== undefined && lately(lost) >= PACKETS_LOST;
  const isResending = resent !== undefined && lately(resent) >= SEGMENTS_RESENT;
  if (!isLossy && !isResending) return [];
  const says = isLossy
    ? `loses ${share(lately(lost))} of its packets`
    : `sends ${share(resent === undefined ? 0 : lately(resent))} of its TCP segments again`;
  return [
    leaf('G14', node, 'run', `the network of node ${node.key.name} ${says}`, {
      suspect: true,
      impact: 'capacity',
      field: 'status.addresses',
      evidence: [
        ...(isLossy
          ? [measure(nodeText(node), `packets lost ${lost.labels.device ?? ''}`, share(lately(lost)), lost)]
          : []),
        ...(isResending ? [measure(nodeText(node), 'TCP segments sent again', share(lately(resent)), resent)] : []),
      ],
      fix: act('look for a broken link, traffic shaping or a full queue on the node', [], { where: 'outside' }),
    }),
  ];
}

function volumeMeasures(claim: Node, graph: Graph): readonly Finding[] {
  if (graph.seriesNames.length === 0) return [];
  const used = measured('volumeUsed', graph).find(
    ({ labels }) => labels.namespace === claim.key.namespace && labels.persistentvolumeclaim === claim.key.name,
  );
  if (used === undefined || lastOf(used) < DISK_FULL) return [];
  return [
    leaf('D09', claim, 'run', `the volume of ${nodeText(claim)} is ${share(lastOf(used))} full`, {
      suspect: true,
      field: 'spec.resources.requests.storage',
      evidence: [measure(nodeText(claim), 'used', share(lastOf(used)), used)],
      fix: change(claim, graph, 'free space, or request more storage'),
    }),
  ];
}
