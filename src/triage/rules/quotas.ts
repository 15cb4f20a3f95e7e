import { objectAt, objectsAt, own, valueAt } from '../../model/json/index.js';
import type { Finding, RuleTable } from '../findings/index.js';
import { containersOf, type Graph, hostSettings, type Node, nodeText, TEMPLATES } from '../graph/index.js';
import { amountOf, wordOf } from '../json/index.js';
import { change, fact, leaf } from './make-finding.js';
import { serviceOf } from './pods/host-faults.js';

/** Registered by kind. */
export const QUOTA_RULES: RuleTable = {
  '/ResourceQuota': [missingServices],
};

/** The names under which quotas count a kind. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  Service: ['services', 'count/services'],
  PersistentVolumeClaim: ['persistentvolumeclaims', 'count/persistentvolumeclaims'],
  Secret: ['secrets', 'count/secrets'],
  ConfigMap: ['configmaps', 'count/configmaps'],
};

interface Limit {
  readonly quota: Node;
  readonly resource: string;
  readonly hard: number;
  readonly used: number;
}

/** What quotas of a namespace say about the resources that `isMeant` picks. */
function limitsOf(namespace: string, graph: Graph, isMeant: (resource: string) => boolean): Limit[] {
  return graph.store.inNamespace('', 'ResourceQuota', namespace).flatMap((quota) => {
    const hard = objectAt(quota.object, 'status', 'hard') ?? objectAt(quota.object, 'spec', 'hard') ?? {};
    return Object.keys(hard)
      .filter(isMeant)
      .map((resource) => ({
        quota,
        resource,
        hard: amountOf(own(hard, resource)),
        used: amountOf(valueAt(quota.object, 'status', 'used', resource)),
      }));
  });
}

function fullQuota(kind: string, namespace: string, graph: Graph): Limit | undefined {
  const names = Object.hasOwn(COUNTED, kind) ? (COUNTED[kind] ?? []) : [];
  return limitsOf(namespace, graph, (resource) => names.includes(resource)).find(({ hard, used }) => used >= hard);
}

/**
 * An absent object of a kind that a quota limits. No event speaks of it: who applies an object reads the error, and
 * nobody else. A full quota of the kind is proof; one of storage is a lead: nobody knows how much was asked for.
 */
export function absentByQuota(absent: Node, graph: Graph): Finding | undefined {
  const { kind, namespace } = absent.key;
  const full = fullQuota(kind, namespace, graph);
  const storage =
    kind === 'PersistentVolumeClaim'
      ? limitsOf(namespace, graph, (resource) => /(?:^|\/)requests\.storage$/.test(resource))[0]
      : undefined;
  const limit = full ?? storage;
  if (limit === undefined) return undefined;
  return exceeded(absent, graph, limit, [absent], full === undefined);
}

function exceeded(
  node: Node,
  graph: Graph,
  { quota, resource, used }: Limit,
  absent: readonly Node[],
  isLead: boolean,
): Finding {
  const hard = wordOf(
    valueAt(quota.object, 'status', 'hard', resource) ?? valueAt(quota.object, 'spec', 'hard', resource),
  );
  const names = absent.slice(0, 5).map(nodeText).join(', ');
  return leaf(
    'C13',
    node,
    'create',
    `${nodeText(quota)} allows ${hard} of ${resource}${isLead ? '' : ', all of which is used'}, and ${names} ` +
      `${absent.length > 1 ? 'do' : 'does'} not exist`,
    {
      blamed: quota,
      impact: 'capacity',
      field: `spec.hard['${resource}']`,
      signature: `quota ${quota.id}`,
      ...(isLead ? { suspect: true } : {}),
      evidence: [
        fact(quota, `status.used['${resource}']`, valueAt(quota.object, 'status', 'used', resource) ?? used),
        fact(quota, `status.hard['${resource}']`, hard),
        ...absent.slice(0, 5).map((each) => ({ of: nodeText(each), path: '', value: 'absent' })),
      ],
      fix: change(quota, graph, `raise the quota, then create ${names}`, { risk: 'none' }),
    },
  );
}

/** Services that workloads are configured with and that the full quota has no room for. */
function missingServices(quota: Node, graph: Graph): readonly Finding[] {
  const full = fullQuota('Service', quota.key.namespace, graph);
  if (full?.quota !== quota) return [];
  const absent = new Map<string, Node>();
  for (const id of Object.keys(TEMPLATES)) {
    const [group = '', kind = ''] = id.split('/');
    for (const node of graph.store.inNamespace(group, kind, quota.key.namespace))
      for (const service of servicesOf(node, graph))
        if (service.state === 'ghost' && service.key.namespace === quota.key.namespace) absent.set(service.id, service);
  }
  const named = [...absent.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return named.length === 0 ? [] : [exceeded(quota, graph, full, named, false)];
}

function servicesOf(node: Node, graph: Graph): Node[] {
  if (graph.owner(node) !== undefined) return [];
  const path = TEMPLATES[`${node.key.group}/${node.key.kind}`] ?? [];
  return containersOf(objectAt(node.object, ...path, 'spec'), [...path, 'spec'].join('.'))
    .flatMap(({ container, path: where }) => hostSettings(container, where, node, graph))
    .map((host) => serviceOf(node, host, graph));
}

const POD_RESOURCES = ['pods', 'count/pods'];

/** A controller that has made no pod, and a quota without room for one: its events are gone. */
export function noRoomForPod(node: Node, graph: Graph): Finding | undefined {
  const containers = objectsAt(node.object, 'spec', 'template', 'spec', 'containers');
  const wanted = (resource: string): number => {
    if (POD_RESOURCES.includes(resource)) return 1;
    const [, field = '', name = ''] = /^(?:(requests|limits)\.)?(cpu|memory|ephemeral-storage)$/.exec(resource) ?? [];
    return containers
      .map((container) => amountOf(valueAt(container, 'resources', field || 'requests', name)))
      .reduce((sum, each) => sum + each, 0);
  };
  const full = limitsOf(node.key.namespace, graph, () => true).find(
    ({ resource, hard, used }) => wanted(resource) > 0 && used + wanted(resource) > hard,
  );
  if (full === undefined) return undefined;
  const top = graph.top(node);
  return leaf(
    'C13',
    node,
    'create',
    `${nodeText(full.quota)} has no room for a pod of ${nodeText(top)}: ${full.resource} ` +
      `${wordOf(valueAt(full.quota.object, 'status', 'used', full.resource))} of ` +
      wordOf(valueAt(full.quota.object, 'status', 'hard', full.resource)),
    {
      blamed: full.quota,
      field: 'spec.hard',
      signature: `quota ${full.quota.id}`,
      evidence: [
        fact(
          full.quota,
          `status.used['${full.resource}']`,
          valueAt(full.quota.object, 'status', 'used', full.resource),
        ),
        fact(node, 'status.replicas', valueAt(node.object, 'status', 'replicas') ?? 0),
      ],
      fix: change(full.quota, graph, 'raise the quota, or request less', { risk: 'none' }),
    },
  );
}
