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
import { isFresh, loudLines } from '../pods/log-text.js';
import { UNRESOLVED } from '../policies.js';
import { absentByQuota } from '../quotas.js';

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
  // What a full quota kept from being created is the quota's fault, not that of who asks for it.
  if (service.state !== 'ghost' || absentByQuota(service, graph) !== undefined) return undefined;
  const line = unresolvedIn(node, host.service, graph);
  if (line === undefined && near === undefined && (host.namespace === '' || host.holder !== node)) return undefined;
  return leaf(
    'G12',
    node,
    'run',
    `${nodeText(node)} uses Service ${service.key.namespace}/${host.service}, which does not ` +
      `exist${near === undefined ? '' : `; did you mean ${near}?`}`,
    {
      evidence: [
        fact(host.holder, host.field, host.text),
        ...(line === undefined ? [] : [{ of: nodeText(node), path: 'log', value: line }]),
      ],
      field: host.field,
      ...(host.holder === node ? {} : { blamed: host.holder }),
      fix: change(host.holder, graph, 'correct the address'),
      ...(line === undefined ? { suspect: true } : {}),
      ...(line === undefined && isAvailable(node) ? { impact: 'drift' as const } : {}),
    },
  );
}

/** A line in which the program says that it did not find the name: then the address is one that it uses. */
function unresolvedIn(node: Node, name: string, graph: Graph): string | undefined {
  const pods = graph.store
    .children(node)
    .flatMap((child) => (child.key.kind === 'Pod' ? [child] : graph.store.children(child)));
  const lines = pods.flatMap((pod) => graph.logs(pod)).flatMap((log) => log.lines);
  return loudLines(lines.filter((each) => each.includes(name) && isFresh(each, graph.time))).findLast((each) =>
    UNRESOLVED.test(each),
  );
}

function isAvailable({ object }: Node): boolean {
  return (numberAt(object, 'status', 'readyReplicas') ?? 0) >= (numberAt(object, 'spec', 'replicas') ?? 1);
}
