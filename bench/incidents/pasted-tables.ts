import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { EventFact } from '../../src/triage/index.js';
import { ageOf, items, joined, orNone, pairs, table, word, words } from './pasted-fields.js';

interface Listing {
  /** As somebody types it. */
  readonly resource: string;
  readonly kind: string;
  readonly heading: readonly string[];
  /** The cells before the age and behind it. */
  cells(object: KubeObject): readonly string[];
  more?(object: KubeObject): readonly string[];
}

const images = (object: KubeObject): readonly string[] => {
  const containers = items(object, 'spec', 'template', 'spec', 'containers');
  return [
    containers.map((each) => word(each, 'name')).join(','),
    containers.map((each) => word(each, 'image')).join(','),
    joined(pairs(object, 'spec', 'selector', 'matchLabels')),
  ];
};
const count = (object: KubeObject, ...path: readonly string[]): string => word(object, ...path) || '0';
const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
export const modes = (object: KubeObject): string =>
  words(object, 'spec', 'accessModes')
    .map((mode) => MODES[mode] ?? mode)
    .join(',');

/** `get -o wide` of the kinds that people look at. */
const LISTINGS: readonly Listing[] = [
  {
    resource: 'pods',
    kind: 'Pod',
    heading: ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES'],
    cells: podCells,
    more: (pod) => [orNone(word(pod, 'status', 'podIP')), orNone(word(pod, 'spec', 'nodeName')), '<none>', '<none>'],
  },
  {
    resource: 'deployments',
    kind: 'Deployment',
    heading: ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE', 'CONTAINERS', 'IMAGES', 'SELECTOR'],
    cells: (each) => [
      `${count(each, 'status', 'readyReplicas')}/${word(each, 'spec', 'replicas') || '1'}`,
      count(each, 'status', 'updatedReplicas'),
      count(each, 'status', 'availableReplicas'),
    ],
    more: images,
  },
  {
    resource: 'statefulsets',
    kind: 'StatefulSet',
    heading: ['NAME', 'READY', 'AGE', 'CONTAINERS', 'IMAGES'],
    cells: (each) => [`${count(each, 'status', 'readyReplicas')}/${word(each, 'spec', 'replicas') || '1'}`],
    more: (each) => images(each).slice(0, 2),
  },
  {
    resource: 'replicasets',
    kind: 'ReplicaSet',
    heading: ['NAME', 'DESIRED', 'CURRENT', 'READY', 'AGE', 'CONTAINERS', 'IMAGES', 'SELECTOR'],
    cells: (each) => [
      count(each, 'spec', 'replicas'),
      count(each, 'status', 'replicas'),
      count(each, 'status', 'readyReplicas'),
    ],
    more: images,
  },
  {
    resource: 'services',
    kind: 'Service',
    heading: ['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE', 'SELECTOR'],
    cells: (each) => [
      word(each, 'spec', 'type') || 'ClusterIP',
      word(each, 'spec', 'clusterIP') || 'None',
      '<none>',
      orNone(
        items(each, 'spec', 'ports')
          .map((port) => `${portText(port)}/${word(port, 'protocol') || 'TCP'}`)
          .join(','),
      ),
    ],
    more: (each) => [joined(pairs(each, 'spec', 'selector'))],
  },
  {
    resource: 'endpoints',
    kind: 'Endpoints',
    heading: ['NAME', 'ENDPOINTS', 'AGE'],
    cells: (each) => [orNone(addressesOf(each))],
  },
  {
    resource: 'pvc',
    kind: 'PersistentVolumeClaim',
    heading: [
      'NAME',
      'STATUS',
      'VOLUME',
      'CAPACITY',
      'ACCESS MODES',
      'STORAGECLASS',
      'VOLUMEATTRIBUTESCLASS',
      'AGE',
      'VOLUMEMODE',
    ],
    cells: (each) => [
      word(each, 'status', 'phase'),
      word(each, 'spec', 'volumeName'),
      word(each, 'status', 'capacity', 'storage'),
      word(each, 'status', 'phase') === 'Bound' ? modes(each) : '',
      word(each, 'spec', 'storageClassName'),
      '<unset>',
    ],
    more: () => ['Filesystem'],
  },
  {
    resource: 'resourcequota',
    kind: 'ResourceQuota',
    heading: ['NAME', 'REQUEST', 'LIMIT', 'AGE'],
    cells: (each) => {
      const of = (isLimit: boolean): string =>
        pairs(each, 'status', 'hard')
          .filter(([name]) => name.startsWith('limits.') === isLimit)
          .map(([name, hard]) => `${name}: ${word(each, 'status', 'used', name) || '0'}/${hard}`)
          .join(', ');
      return [of(false), of(true)];
    },
  },
  {
    resource: 'serviceaccounts',
    kind: 'ServiceAccount',
    heading: ['NAME', 'SECRETS', 'AGE'],
    cells: () => ['0'],
  },
  {
    resource: 'nodes',
    kind: 'Node',
    heading: ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'],
    cells: (each) => [nodeStatus(each), rolesOf(each)],
    more: (each) => [word(each, 'status', 'nodeInfo', 'kubeletVersion')],
  },
  {
    resource: 'pv',
    kind: 'PersistentVolume',
    heading: [
      'NAME',
      'CAPACITY',
      'ACCESS MODES',
      'RECLAIM POLICY',
      'STATUS',
      'CLAIM',
      'STORAGECLASS',
      'VOLUMEATTRIBUTESCLASS',
      'REASON',
      'AGE',
      'VOLUMEMODE',
    ],
    cells: (each) => [
      word(each, 'spec', 'capacity', 'storage'),
      modes(each),
      word(each, 'spec', 'persistentVolumeReclaimPolicy'),
      word(each, 'status', 'phase'),
      [word(each, 'spec', 'claimRef', 'namespace'), word(each, 'spec', 'claimRef', 'name')].filter(Boolean).join('/'),
      word(each, 'spec', 'storageClassName'),
      '<unset>',
      '',
    ],
    more: () => ['Filesystem'],
  },
  {
    resource: 'storageclass',
    kind: 'StorageClass',
    heading: ['NAME', 'PROVISIONER', 'RECLAIMPOLICY', 'VOLUMEBINDINGMODE', 'ALLOWVOLUMEEXPANSION', 'AGE'],
    cells: (each) => [
      word(each, 'provisioner'),
      word(each, 'reclaimPolicy'),
      word(each, 'volumeBindingMode'),
      word(each, 'allowVolumeExpansion') || 'false',
    ],
  },
];

/** What `get` prints of each kind, with the line that somebody typed. */
export function listed(objects: readonly KubeObject[], namespace: string, now: number): string[] {
  return LISTINGS.flatMap(({ resource, kind, heading, cells, more }) => {
    const found = objects.filter(
      (each) => each.kind === kind && (each.metadata.namespace === undefined || each.metadata.namespace === namespace),
    );
    const isNamespaced = found.some(({ metadata }) => metadata.namespace !== undefined);
    const rows = found.map((each) => [
      each.metadata.name ?? '',
      ...cells(each),
      ageOf(Date.parse(each.metadata.creationTimestamp ?? ''), now),
      ...(more?.(each) ?? []),
    ]);
    return found.length === 0
      ? []
      : [`$ kubectl get ${resource}${isNamespaced ? ` -n ${namespace}` : ''} -o wide`, ...table(heading, rows), ''];
  });
}

/** `get events` of a namespace. */
export function listedEvents(events: readonly EventFact[], namespace: string, now: number): string[] {
  const found = events
    .filter(({ about }) => about.namespace === namespace)
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  return [
    `$ kubectl get events -n ${namespace}`,
    ...table(
      ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
      found.map(({ time, type, reason, about, message }) => [
        ageOf(time, now),
        type,
        reason,
        `${about.kind.toLowerCase()}/${about.name}`,
        message.replaceAll('\n', '\\n'),
      ]),
    ),
    '',
  ];
}

export function addressesOf(endpoints: KubeObject): string {
  return items(endpoints, 'subsets')
    .flatMap((subset) =>
      items(subset, 'addresses').flatMap((address) =>
        items(subset, 'ports').map((port) => `${word(address, 'ip')}:${word(port, 'port')}`),
      ),
    )
    .join(',');
}

function portText(port: JsonObject): string {
  const node = word(port, 'nodePort');
  return node === '' ? word(port, 'port') : `${word(port, 'port')}:${node}`;
}

function rolesOf({ metadata }: KubeObject): string {
  const roles = Object.keys(metadata.labels ?? {}).flatMap(
    (key) => /^node-role\.kubernetes\.io\/(.+)$/.exec(key)?.[1] ?? [],
  );
  return orNone(roles.join(',') || (metadata.labels?.['kubernetes.io/role'] ?? ''));
}

function nodeStatus(node: KubeObject): string {
  const ready = items(node, 'status', 'conditions').find((each) => word(each, 'type') === 'Ready');
  const isReady = word(ready, 'status') === 'True';
  const isCordoned = word(node, 'spec', 'unschedulable') === 'true';
  return `${isReady ? 'Ready' : 'NotReady'}${isCordoned ? ',SchedulingDisabled' : ''}`;
}

/** Ready containers, the status column and restarts, as the API server works them out. */
function podCells(pod: KubeObject): readonly string[] {
  const statuses = items(pod, 'status', 'containerStatuses');
  const wanted = items(pod, 'spec', 'containers').length;
  const ready = statuses.filter((each) => word(each, 'ready') === 'true').length;
  const restarts = statuses.reduce((sum, each) => sum + Number(word(each, 'restartCount') || 0), 0);
  return [`${ready}/${wanted}`, podStatus(pod, statuses), String(restarts)];
}

function podStatus(pod: KubeObject, statuses: readonly JsonObject[]): string {
  if (word(pod, 'metadata', 'deletionTimestamp') !== '') return 'Terminating';
  const init = items(pod, 'status', 'initContainerStatuses');
  const left = init.findIndex((each) => word(each, 'state', 'terminated', 'exitCode') !== '0');
  if (left >= 0 && word(pod, 'status', 'phase') === 'Pending' && init.length > 0) {
    const reason = reasonOf(init[left] ?? {});
    return reason === '' || reason === 'PodInitializing' ? `Init:${left}/${init.length}` : `Init:${reason}`;
  }
  const reasons = statuses.map(reasonOf).filter(Boolean);
  return reasons[0] ?? (word(pod, 'status', 'reason') || word(pod, 'status', 'phase'));
}

function reasonOf(status: JsonObject): string {
  return word(status, 'state', 'waiting', 'reason') || word(status, 'state', 'terminated', 'reason');
}
