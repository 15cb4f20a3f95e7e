import { valueAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, isNodeReady, type Node, nodeText, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, delegate, fact, leaf, shellWord } from '../make-finding.js';
import { brokenAgent } from '../network-agents.js';
import { isControlPlane } from './control-plane.js';
import { restartOf, serviceDown, serviceEvidence, stoppedService } from './host-services.js';

/** Registered by kind. */
export const NODE_RULES: RuleTable = {
  '/Node': [nodeRules],
};

const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'] as const;

function nodeRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  const ready = conditionOf(object, 'Ready');
  const onset = sinceOf(ready);
  if (ready !== undefined && !isNodeReady(node)) {
    const all = graph.store.ofKind('', 'Node');
    const down = all.filter((each) => !isNodeReady(each)).length;
    const agent = /network ?plugin|NetworkPluginNotReady|cni/i.test(textAt(ready, 'message'))
      ? brokenAgent(node.key.name, graph)
      : undefined;
    if (agent !== undefined)
      return [
        delegate('C11', node, 'run', `node ${node.key.name} is not ready: no network, ${nodeText(agent)} is down`, {
          impact: 'infrastructure',
          target: agent,
          evidence: [
            fact(
              node,
              'status.conditions[Ready]',
              `${textAt(ready, 'status')} ${textAt(ready, 'reason')} ${textAt(ready, 'message')}`,
            ),
          ],
          ...(onset === undefined ? {} : { onset }),
        }),
      ];
    const service = stoppedService(node, graph);
    const why =
      service === undefined
        ? `${textAt(ready, 'reason')} ${textAt(ready, 'message')}`.trim()
        : `${service.unit} does not run (${service.says})`;
    return [
      leaf('C11', node, 'run', `node ${node.key.name} is not ready${why === '' ? '' : `: ${why}`}`, {
        impact: 'infrastructure',
        field: 'status.conditions[Ready]',
        evidence: [
          ...(service === undefined ? [] : serviceEvidence(node, service)),
          fact(node, 'status.conditions[Ready]', `${textAt(ready, 'status')} ${textAt(ready, 'reason')}`),
          { of: 'Nodes', path: 'status.conditions[Ready]', value: `${down} of ${all.length} not ready` },
        ],
        ...(onset === undefined ? {} : { onset }),
        fix:
          (service === undefined ? undefined : restartOf(node, service)) ??
          act(
            'repair the kubelet, the container runtime or the machine',
            [`kubectl describe node ${shellWord(node.key.name)}`],
            { where: 'outside', verify: `kubectl get node ${shellWord(node.key.name)}` },
          ),
      }),
    ];
  }
  const down = serviceDown(node, graph);
  if (down.length > 0) return down;
  const pressures = PRESSURES.filter((type) => textAt(conditionOf(object, type), 'status') === 'True');
  if (pressures.length > 0)
    return pressures.map((type) =>
      leaf('C12', node, 'run', `node ${node.key.name} has ${type}: ${textAt(conditionOf(object, type), 'message')}`, {
        impact: type === 'NetworkUnavailable' ? 'infrastructure' : 'capacity',
        field: `status.conditions[${type}]`,
        evidence: [fact(node, `status.conditions[${type}]`, 'True')],
        fix: act(
          'free the resource, or drain pods to other nodes',
          [`kubectl describe node ${shellWord(node.key.name)}`],
          {
            verify: `kubectl get node ${shellWord(node.key.name)}`,
          },
        ),
      }),
    );
  if (valueAt(object, 'spec', 'unschedulable') === true && !isSpare(node, graph))
    return [
      leaf('C09', node, 'schedule', `node ${node.key.name} is cordoned`, {
        signature: 'cordoned',
        commonTitle: 'nodes are cordoned',
        impact: isMissed(graph) ? 'capacity' : 'note',
        field: 'spec.unschedulable',
        evidence: [fact(node, 'spec.unschedulable', true)],
        fix: act('uncordon the node', [`kubectl uncordon ${shellWord(node.key.name)}`], {
          actions: [{ kind: 'merge', object: node.key, patch: { spec: { unschedulable: null } } }],
          verify: `kubectl get node ${shellWord(node.key.name)}`,
        }),
      }),
    ];
  return [];
}

/** A control plane beside nodes for workloads is kept free of them, by a taint or by being cordoned. */
function isSpare(node: Node, graph: Graph): boolean {
  return isControlPlane(node) && !graph.store.ofKind('', 'Node').every(isControlPlane);
}

/** A cordoned node is missed where a pod waits for just that. */
function isMissed(graph: Graph): boolean {
  return graph.once('pods that miss cordoned nodes', () =>
    graph.store
      .ofKind('', 'Pod')
      .some(({ object }) =>
        /were unschedulable|node\.kubernetes\.io\/unschedulable/.test(
          textAt(conditionOf(object, 'PodScheduled'), 'message'),
        ),
      ),
  );
}
