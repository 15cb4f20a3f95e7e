import { type JsonObject, numberAt, objectAt, objectsAt, own } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, isUnseen, type Node, nodeText } from '../../graph/index.js';
import { wordOf } from '../../json/index.js';
import { change, delegate, fact, leaf, setting } from '../make-finding.js';
import { nearestName } from '../nearest-name.js';

/** No pods match although a workload is intended: labels differ, or the workload is scaled to zero. */
export function noPods(node: Node, graph: Graph, selector: JsonObject): Finding[] {
  if (graph.store.listing('', 'Pod', node.key.namespace) !== 'complete' || hasAddresses(node, graph)) return [];
  const pods = graph.store.inNamespace('', 'Pod', node.key.namespace);
  if (pods.some((pod) => isUnseen(pod, 'metadata.labels') && pod.object?.metadata.labels === undefined)) return [];
  const workloads = ['Deployment', 'StatefulSet', 'DaemonSet'].flatMap((kind) =>
    graph.store.inNamespace('apps', kind, node.key.namespace),
  );
  const labelsOf = (workload: Node): JsonObject =>
    objectAt(workload.object, 'spec', 'template', 'metadata', 'labels') ?? {};
  const full = workloads.find((workload) =>
    Object.keys(selector).every((key) => own(labelsOf(workload), key) === own(selector, key)),
  );
  if (full !== undefined)
    return [
      delegate('G02', node, 'serve', `${nodeText(node)} has no pods`, {
        target: full,
        evidence: [fact(node, 'spec.selector', selector)],
        ...(numberAt(full.object, 'spec', 'replicas') === 0 ? { impact: 'note' as const } : {}),
      }),
    ];
  // A Service of an operator selects pods that the operator creates on demand.
  if (graph.owner(node) !== undefined || node.object?.metadata.ownerReferences !== undefined) return [];
  const near = workloads
    .filter((workload) => isComparable(workload, selector))
    .map((workload) => ({ workload, meant: isMeant(node, workload), almost: isAlmost(selector, labelsOf(workload)) }))
    .filter(({ meant, almost }) => meant || almost)
    .sort((a, b) => Number(b.meant) - Number(a.meant) || (a.workload.id < b.workload.id ? -1 : 1))[0];
  if (near === undefined) return nearestPods(node, graph, selector, pods);
  const wrong = Object.keys(selector).filter((key) => own(labelsOf(near.workload), key) !== own(selector, key));
  return [
    leaf(
      'G01',
      node,
      'serve',
      `the selector of ${nodeText(node)} matches no pods: ${nodeText(near.workload)} has different labels ` +
        `(${wrong.join(', ')})`,
      {
        evidence: [
          fact(node, 'spec.selector', selector),
          fact(near.workload, 'spec.template.metadata.labels', labelsOf(near.workload)),
        ],
        field: 'spec.selector',
        fix: change(node, graph, 'use the labels of the pods', {
          risk: 'none',
          edits: wrong.flatMap((key) =>
            typeof own(labelsOf(near.workload), key) === 'string'
              ? [setting(node, `spec.selector['${key}']`, own(labelsOf(near.workload), key) ?? '')]
              : [],
          ),
        }),
      },
    ),
  ];
}

/**
 * Without the workloads, pods say what labels they have: those that are called like the Service and carry a part of its
 * selector are meant.
 */
function nearestPods(node: Node, graph: Graph, selector: JsonObject, pods: readonly Node[]): Finding[] {
  const keys = Object.keys(selector);
  const labelsOf = ({ object }: Node): JsonObject => objectAt(object, 'metadata', 'labels') ?? {};
  const near = pods.find(
    (pod) =>
      pod.key.name.startsWith(`${node.key.name}-`) &&
      keys.some((key) => own(labelsOf(pod), key) === own(selector, key)) &&
      keys.every((key) => own(labelsOf(pod), key) !== undefined),
  );
  if (near === undefined || (graph.owner(near) !== undefined && !isUnseen(graph.top(near), 'spec.template'))) return [];
  const wrong = keys.filter((key) => own(labelsOf(near), key) !== own(selector, key));
  return [
    leaf(
      'G01',
      node,
      'serve',
      `the selector of ${nodeText(node)} matches no pods: ${nodeText(near)} has different labels (${wrong.join(', ')})`,
      {
        evidence: [fact(node, 'spec.selector', selector), fact(near, 'metadata.labels', labelsOf(near))],
        field: 'spec.selector',
        fix: change(node, graph, 'use the labels of the pods', { risk: 'none' }),
      },
    ),
  ];
}

/** Somebody found pods for it: the control plane, or what a text shows of its endpoints. */
function hasAddresses({ key }: Node, graph: Graph): boolean {
  const endpoints = graph.store.get({ ...key, kind: 'Endpoints' });
  return objectsAt(endpoints?.object, 'subsets').some((subset) => objectsAt(subset, 'addresses').length > 0);
}

/** Whether its labels are known well enough to say that a selector differs. */
function isComparable(workload: Node, selector: JsonObject): boolean {
  if (!isUnseen(workload, 'spec.template')) return true;
  const labels = objectAt(workload.object, 'spec', 'template', 'metadata', 'labels') ?? {};
  return Object.keys(selector).every((key) => own(labels, key) !== undefined);
}

/** By name, or because git delivers both for one application and there is one workload only. */
function isMeant(service: Node, workload: Node): boolean {
  return (
    workload.key.name === service.key.name ||
    service.key.name.startsWith(`${workload.key.name}-`) ||
    workload.key.name.startsWith(`${service.key.name}-`)
  );
}

/** The same keys, and what differs is a slip. */
function isAlmost(selector: JsonObject, labels: JsonObject): boolean {
  const different = Object.keys(selector).filter((key) => own(labels, key) !== own(selector, key));
  return (
    different.length < Math.max(2, Object.keys(selector).length) &&
    different.every((key) => {
      const value = own(labels, key);
      return typeof value === 'string' && nearestName(wordOf(own(selector, key)), [value]) !== undefined;
    })
  );
}
