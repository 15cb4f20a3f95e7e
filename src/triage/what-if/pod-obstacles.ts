import { type JsonObject, isArray, isObject, objectAt, objectsAt, own, valueAt } from '../../model/json/index.js';
import { amountOf, textAt } from '../json/index.js';
import { type Graph, nodeText, type Node } from '../graph/index.js';

/** Obvious obstacles for pods of a template: no node fits, an image cannot be pulled, a reference does not exist. */
export function findPodObstacles(pod: Node, graph: Graph, inVain: ReadonlySet<string>): string[] {
  const images = [
    ...objectsAt(pod.object, 'spec', 'initContainers'),
    ...objectsAt(pod.object, 'spec', 'containers'),
  ].map((container) => textAt(container, 'image'));
  const nodes = graph.store.ofKind('', 'Node');
  return [
    ...(nodes.length === 0 || nodes.some((node) => canSchedule(node, pod))
      ? []
      : [`${nodeText(pod)} cannot be scheduled`]),
    ...images.filter((image) => inVain.has(image)).map((image) => `image ${image} cannot be pulled`),
    ...absentReferences(pod, graph),
  ];
}

/** References of a pod that do not exist. */
export function absentReferences(pod: Node, graph: Graph): string[] {
  return graph
    .edges(pod)
    .filter(
      ({ to, hard, grade, type }) =>
        hard && type !== 'owner' && (grade === 'A' || grade === 'B') && to.state === 'ghost',
    )
    .map(({ to, field }) => `${nodeText(to)} does not exist (${field})`);
}

/** Whether a node would accept the pod if it were empty. */
function canSchedule(node: Node, pod: Node): boolean {
  const labels = node.object?.metadata.labels ?? {};
  const selector = objectAt(pod.object, 'spec', 'nodeSelector') ?? {};
  if (valueAt(node.object, 'spec', 'unschedulable') === true) return false;
  if (
    Object.keys(selector).some((key) => (Object.hasOwn(labels, key) ? labels[key] : undefined) !== own(selector, key))
  )
    return false;
  const tolerations = objectsAt(pod.object, 'spec', 'tolerations');
  if (
    objectsAt(node.object, 'spec', 'taints').some(
      (taint) => textAt(taint, 'effect') !== 'PreferNoSchedule' && !tolerations.some((each) => tolerates(each, taint)),
    )
  )
    return false;
  const asked = requests(pod);
  return [...asked].every(
    ([resource, amount]) => amount <= amountOf(valueAt(node.object, 'status', 'allocatable', resource)),
  );
}

function tolerates(toleration: JsonObject, taint: JsonObject): boolean {
  const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
  if ((key !== '' && key !== textAt(taint, 'key')) || (effect !== '' && effect !== textAt(taint, 'effect')))
    return false;
  return textAt(toleration, 'operator') === 'Exists' || textAt(toleration, 'value') === textAt(taint, 'value');
}

function requests(pod: Node): Map<string, number> {
  const sums = new Map<string, number>();
  for (const container of objectsAt(pod.object, 'spec', 'containers')) {
    const asked = { ...objectAt(container, 'resources', 'limits'), ...objectAt(container, 'resources', 'requests') };
    for (const name of Object.keys(asked)) sums.set(name, (sums.get(name) ?? 0) + amountOf(own(asked, name)));
  }
  return sums;
}

/** Validation such as duplicate keys is left to the server; only objects with a template are checked here. */
export function templateOf(object: JsonObject | undefined): JsonObject | undefined {
  const template = valueAt(object, 'spec', 'jobTemplate', 'spec', 'template') ?? valueAt(object, 'spec', 'template');
  return isObject(template) && !isArray(template) && isArray(valueAt(template, 'spec', 'containers'))
    ? template
    : undefined;
}
