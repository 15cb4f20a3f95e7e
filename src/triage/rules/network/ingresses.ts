import { numberAt, objectAt, objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';

/** Registered by kind. */
export const INGRESS_RULES: RuleTable = {
  'networking.k8s.io/Ingress': [ingressRules],
  'route.openshift.io/Route': [openShiftRouteRules],
};

/** Ingresses and routes refer to objects by name; a missing one is the cause. */
export function ingressRules(node: Node, graph: Graph): readonly Finding[] {
  const ghosts = graph.edges(node).filter(({ to, hard }) => hard && to.state === 'ghost');
  const isMade = graph.owner(node) !== undefined;
  const found: Finding[] = ghosts.map(({ to, field }) =>
    leaf('G04', node, 'serve', `${nodeText(node)} refers to ${nodeText(to)}, which does not exist`, {
      evidence: [fact(node, field, to.key.name)],
      field,
      ...(isMade ? { impact: 'note' as const } : {}),
      ...(to.key.kind === 'Secret' ? { target: to } : {}),
      fix: change(node, graph, 'correct the reference', { risk: 'none' }),
    }),
  );
  return [
    ...found.map((finding) => (finding.target === undefined ? finding : { ...finding, kind: 'delegating' as const })),
    ...wrongPorts(node, graph),
  ];
}

/** Backends of an Ingress whose Service is there and does not have the port. */
function wrongPorts(node: Node, graph: Graph): Finding[] {
  if (node.key.kind !== 'Ingress') return [];
  return objectsAt(node.object, 'spec', 'rules').flatMap((rule, at1) =>
    objectsAt(rule, 'http', 'paths').flatMap((path, at2) => {
      const backend = objectAt(path, 'backend', 'service');
      const service = graph.store.get({
        group: '',
        kind: 'Service',
        namespace: node.key.namespace,
        name: textAt(backend, 'name'),
      });
      const [number, name] = [numberAt(backend, 'port', 'number'), textAt(backend, 'port', 'name')];
      const ports = objectsAt(service?.object, 'spec', 'ports');
      if (
        ports.length === 0 ||
        (number === undefined && name === '') ||
        ports.some((each) => (number === undefined ? textAt(each, 'name') === name : numberAt(each, 'port') === number))
      )
        return [];
      const field = `spec.rules[${at1}].http.paths[${at2}].backend.service.port`;
      return [
        leaf(
          'G04',
          node,
          'serve',
          `${nodeText(node)} routes to port ${number ?? name} of Service ${textAt(backend, 'name')}, which ` +
            'does not expose it',
          {
            evidence: [fact(node, field, valueAt(backend, 'port') ?? null)],
            field,
            fix: change(
              node,
              graph,
              `use a port of the Service: ${ports.map((each) => numberAt(each, 'port') ?? '').join(', ')}`,
              { risk: 'none' },
            ),
          },
        ),
      ];
    }),
  );
}

function openShiftRouteRules(node: Node, graph: Graph): readonly Finding[] {
  const rejected = objectsAt(node.object, 'status', 'ingress')
    .flatMap((ingress) => objectsAt(ingress, 'conditions'))
    .find((condition) => textAt(condition, 'type') === 'Admitted' && textAt(condition, 'status') === 'False');
  if (rejected === undefined) return ingressRules(node, graph);
  return [
    leaf(
      'G05',
      node,
      'serve',
      `the router rejects ${nodeText(node)}: ${textAt(rejected, 'reason')} ${textAt(rejected, 'message')}`,
      {
        evidence: [fact(node, 'status.ingress[].conditions[Admitted]', textAt(rejected, 'reason'))],
        field: textAt(rejected, 'reason') === 'HostAlreadyClaimed' ? 'spec.host' : 'spec',
        fix: change(node, graph, 'use another host, or fix the error in the message', { risk: 'none' }),
      },
    ),
  ];
}
