import { numberAt, objectAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { containersOf, type Graph, hostNames, type Node, nodeText, TEMPLATES } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { intendedName } from '../ghosts.js';
import { change, fact, leaf } from '../make-finding.js';
import { servicePorts } from '../pods/host-faults.js';

/** Registered by kind. */
export const ADDRESS_RULES: RuleTable = {
  'apps/Deployment': [addressRules],
  'argoproj.io/Rollout': [addressRules],
  'apps/StatefulSet': [addressRules],
  'apps/DaemonSet': [addressRules],
};

/**
 * Addresses in a template that cannot work: a Service that is there without this port, or one whose name is nearly
 * right.
 */
function addressRules(node: Node, graph: Graph): readonly Finding[] {
  const path = TEMPLATES[`${node.key.group}/${node.key.kind}`];
  if (path === undefined || graph.owner(node) !== undefined) return [];
  const found: Finding[] = [];
  for (const { container, path: where } of containersOf(
    objectAt(node.object, ...path, 'spec'),
    [...path, 'spec'].join('.'),
  )) {
    for (const host of hostNames(container, where)) {
      const namespace = host.namespace === '' ? node.key.namespace : host.namespace;
      const service = graph.store.refer({ group: '', kind: 'Service', namespace, name: host.service });
      const details = {
        evidence: [fact(node, host.field, host.text)],
        field: host.field,
        fix: change(node, graph, 'correct the address'),
      };
      if (
        service.state === 'present' &&
        host.port !== undefined &&
        servicePorts(service).length > 0 &&
        !servicePorts(service).includes(host.port) &&
        textAt(service.object, 'spec', 'clusterIP') !== 'None'
      ) {
        found.push(
          leaf(
            'G12',
            node,
            'run',
            `${nodeText(node)} uses port ${host.port} of ${nodeText(service)}, which exposes ` +
              servicePorts(service).join(', '),
            details,
          ),
        );
      } else if (service.state === 'ghost') {
        const near = intendedName(service, graph);
        if (near !== undefined || host.namespace !== '')
          found.push(
            leaf(
              'G12',
              node,
              'run',
              `${nodeText(node)} uses Service ${namespace}/${host.service}, which does not ` +
                `exist${near === undefined ? '' : `; did you mean ${near}?`}`,
              { ...details, suspect: true, ...(isAvailable(node) ? { impact: 'drift' as const } : {}) },
            ),
          );
      }
    }
  }
  return found.slice(0, 3);
}

function isAvailable({ object }: Node): boolean {
  return (numberAt(object, 'status', 'readyReplicas') ?? 0) >= (numberAt(object, 'spec', 'replicas') ?? 1);
}
