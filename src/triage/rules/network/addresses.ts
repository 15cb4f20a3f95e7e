import { numberAt, objectAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import {
  containersOf,
  type Graph,
  type HostSetting,
  hostSettings,
  type Node,
  nodeText,
  TEMPLATES,
} from '../../graph/index.js';
import { intendedName } from '../ghosts.js';
import { change, fact, leaf } from '../make-finding.js';
import { serviceOf, wrongPort } from '../pods/host-faults.js';

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
  return containersOf(objectAt(node.object, ...path, 'spec'), [...path, 'spec'].join('.'))
    .flatMap(({ container, path: where }) => hostSettings(container, where, node, graph))
    .flatMap((host) => wrongPort(node, host, graph) ?? unknownHost(node, host, graph) ?? [])
    .slice(0, MAX_ADDRESSES);
}

const MAX_ADDRESSES = 3;

function unknownHost(node: Node, host: HostSetting, graph: Graph): Finding | undefined {
  const service = serviceOf(node, host, graph);
  const near = service.state === 'ghost' ? intendedName(service, graph) : undefined;
  if (service.state !== 'ghost' || (near === undefined && (host.namespace === '' || host.holder !== node)))
    return undefined;
  return leaf(
    'G12',
    node,
    'run',
    `${nodeText(node)} uses Service ${service.key.namespace}/${host.service}, which does not ` +
      `exist${near === undefined ? '' : `; did you mean ${near}?`}`,
    {
      evidence: [fact(host.holder, host.field, host.text)],
      field: host.field,
      ...(host.holder === node ? {} : { blamed: host.holder }),
      fix: change(host.holder, graph, 'correct the address'),
      suspect: true,
      ...(isAvailable(node) ? { impact: 'drift' as const } : {}),
    },
  );
}

function isAvailable({ object }: Node): boolean {
  return (numberAt(object, 'status', 'readyReplicas') ?? 0) >= (numberAt(object, 'spec', 'replicas') ?? 1);
}
