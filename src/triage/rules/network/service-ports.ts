import { type JsonObject, numberAt, objectAt, objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { containersOf, type Graph, isUnseen, type Node, nodeText } from '../../graph/index.js';
import { textAt, wordOf } from '../../json/index.js';
import { change, fact, leaf, setting } from '../make-finding.js';

/** targetPort must be a port of the pods: a port name, or a number if they declare ports. */
export function portFault(node: Node, graph: Graph, port: JsonObject, pods: readonly Node[]): Finding | undefined {
  if (port.targetPort === undefined && isUnseen(node, 'spec.ports[].targetPort')) return undefined;
  const target = port.targetPort ?? port.port;
  const isNamed = typeof target === 'string' && !/^\d+$/.test(target);
  const opened = pods.flatMap((pod) =>
    containersOf(objectAt(pod.object, 'spec'), 'spec').flatMap(({ container }) => objectsAt(container, 'ports')),
  );
  if (opened.length === 0 && !isNamed) return undefined;
  const fitting = opened.filter((each) =>
    isNamed ? textAt(each, 'name') === target : numberAt(each, 'containerPort') === Number(target),
  );
  const index = objectsAt(node.object, 'spec', 'ports').indexOf(port);
  const evidence = [
    fact(node, `spec.ports[${index}].targetPort`, target ?? null),
    {
      of: 'Pods',
      path: 'spec.containers[].ports',
      value: opened
        .map((each) =>
          (
            `${textAt(each, 'name')} ` + `${numberAt(each, 'containerPort') ?? ''}/${textAt(each, 'protocol') || 'TCP'}`
          ).trim(),
        )
        .join(', '),
    },
  ];
  if (fitting.length === 0)
    return leaf(
      'G01',
      node,
      'serve',
      `${nodeText(node)} targets port ${wordOf(target)}, which its pods do not expose`,
      {
        evidence,
        field: `spec.ports[${index}].targetPort`,
        fix: change(node, graph, 'set targetPort to a port of the pods', {
          risk: 'none',
          edits: onlyPort(opened).map((one) => setting(node, `spec.ports[${index}].targetPort`, one)),
        }),
      },
    );
  const protocol = textAt(port, 'protocol') || 'TCP';
  // Pods need not name every protocol of a port that they open, such as DNS over both.
  const isServed = objectsAt(node.object, 'spec', 'ports').some(
    (other) =>
      other !== port &&
      (other.targetPort ?? other.port) === target &&
      fitting.some((each) => (textAt(each, 'protocol') || 'TCP') === (textAt(other, 'protocol') || 'TCP')),
  );
  if (!isServed && fitting.every((each) => (textAt(each, 'protocol') || 'TCP') !== protocol))
    return leaf(
      'G01',
      node,
      'serve',
      `${nodeText(node)} uses ${protocol} for port ${wordOf(target)}, which its pods expose as ` +
        (textAt(fitting[0], 'protocol') || 'TCP'),
      {
        evidence,
        field: `spec.ports[${index}].protocol`,
        fix: change(node, graph, 'use the protocol of the pods', { risk: 'none' }),
      },
    );
  return undefined;
}

/** The number of the one port that is open; none where there are several. */
function onlyPort(opened: readonly JsonObject[]): number[] {
  const numbers = [...new Set(opened.flatMap((each) => numberAt(each, 'containerPort') ?? []))];
  return numbers.length === 1 ? numbers : [];
}
