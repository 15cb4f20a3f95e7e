import { valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { amountOf, textAt, wordOf } from '../../json/index.js';
import { change, fact, leaf, shellWord } from '../make-finding.js';
import { containerFacts } from './pod-facts.js';

const NETWORK_FAILURE = /(failed to (?:setup|set up|find|allocate)[^:]*|plugin type="[^"]+")/;
const KILLED_AT_START = /OOM-killed|memory limit too low|cannot allocate memory/i;

/** The message of a runtime whose own start the kernel ended. */
export function isKilledAtStart(message: string): boolean {
  return KILLED_AT_START.test(message);
}

/** The runtime counts its own start towards the memory limit of the pod: with too little the pod never begins. */
export function memoryTooLow(
  pod: Node,
  graph: Graph,
  message: string,
  details: { evidence: Finding['evidence'] },
): Finding | undefined {
  if (!KILLED_AT_START.test(message)) return undefined;
  const [least] = containerFacts(pod)
    .map((container) => ({ container, limit: valueAt(container.spec, 'resources', 'limits', 'memory') }))
    .filter(({ limit }) => limit !== undefined)
    .sort((a, b) => amountOf(a.limit) - amountOf(b.limit));
  if (least === undefined) return undefined;
  const path = `${least.container.path}.resources.limits.memory`;
  return leaf(
    'F01',
    pod,
    'run',
    `the memory limit ${wordOf(least.limit)} of container ${least.container.name} of ${nodeText(pod)} is too low for ` +
      'it to start',
    {
      ...details,
      field: `spec.template.${path}`,
      evidence: [...details.evidence, fact(pod, path, least.limit)],
      fix: change(pod, graph, 'raise the memory limit'),
    },
  );
}

/** A pod whose sandbox the runtime of its node cannot set up. */
export function sandbox(pod: Node, graph: Graph, message: string, details: { evidence: Finding['evidence'] }): Finding {
  const handler = /no runtime for "([^"]+)"|runtime handler "([^"]+)"/.exec(message);
  if (handler !== null)
    return leaf('F10', pod, 'run', `no node supports the RuntimeClass of ${nodeText(pod)}`, {
      ...details,
      field: 'spec.template.spec.runtimeClassName',
      fix: change(pod, graph, 'use a RuntimeClass that the nodes support'),
    });
  const starved = memoryTooLow(pod, graph, message, details);
  if (starved !== undefined) return starved;
  const node = graph.store.refer({
    group: '',
    kind: 'Node',
    namespace: '',
    name: textAt(pod.object, 'spec', 'nodeName'),
  });
  return leaf('F10', pod, 'run', `the network of node ${node.key.name} cannot set up pods: ${message}`, {
    ...details,
    impact: 'infrastructure',
    blamed: node,
    signature: `sandbox ${NETWORK_FAILURE.exec(message)?.[1] ?? 'network'}`,
    commonTitle: 'the node network cannot set up pods',
    field: 'status.conditions',
    fix: {
      where: 'cluster',
      say: 'repair the network plugin of the node',
      commands: ['kubectl get pods -n kube-system -o wide'],
      risk: 'restart',
      reversible: true,
      verify: `kubectl get pods -n ${shellWord(pod.key.namespace)}`,
    },
  });
}
