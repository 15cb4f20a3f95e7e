import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { EventFact, Snapshot } from '../../src/triage/index.js';
import { ageOf, items, joined, labels, pairs, rows, table, word } from './pasted-fields.js';
import { containers, dated, placement, template, volumes } from './pasted-containers.js';
import { addressesOf, modes } from './pasted-tables.js';

/** `describe` of one object, with what belongs to it. */
export interface Describing {
  readonly snapshot: Snapshot;
  readonly now: number;
}

const DESCRIBED: Readonly<Record<string, (object: KubeObject, describing: Describing) => string[]>> = {
  Pod: pod,
  Deployment: deployment,
  StatefulSet: replicas,
  ReplicaSet: replicas,
  Service: service,
  Node: node,
  PersistentVolumeClaim: claim,
  PersistentVolume: volume,
  ResourceQuota: quota,
  ConfigMap: configMap,
};
export const DESCRIBED_KINDS = Object.keys(DESCRIBED);

export function described(object: KubeObject, describing: Describing): string[] {
  const { kind, metadata } = object;
  const where = metadata.namespace === undefined ? '' : ` -n ${metadata.namespace}`;
  const lines = DESCRIBED[kind]?.(object, describing) ?? [];
  return [`$ kubectl describe ${kind.toLowerCase()} ${metadata.name ?? ''}${where}`, ...lines, ''];
}

function head(object: KubeObject, more: readonly (readonly [string, string | readonly string[]])[]): string[] {
  const { name = '', namespace } = object.metadata;
  const annotations = pairs(object, 'metadata', 'annotations').map(([key, value]) => `${key}: ${value}`);
  return rows([
    ['Name', name],
    ...(namespace === undefined ? [] : [['Namespace', namespace] as const]),
    ...more.filter(([key]) => !/^(Selector|Replicas|StrategyType|Pods Status)$/.test(key)),
    ['Labels', labels(object, 'metadata', 'labels')],
    ['Annotations', annotations],
    ...more.filter(([key]) => /^(Selector|Replicas|StrategyType|Pods Status)$/.test(key)),
  ]);
}

function pod(object: KubeObject, describing: Describing): string[] {
  const node = word(object, 'spec', 'nodeName');
  const [owner] = object.metadata.ownerReferences ?? [];
  const reason = word(object, 'status', 'reason');
  const statuses = [
    ...items(object, 'status', 'containerStatuses'),
    ...items(object, 'status', 'initContainerStatuses'),
  ];
  return [
    ...rows([
      ['Name', object.metadata.name ?? ''],
      ['Namespace', object.metadata.namespace ?? ''],
      ['Priority', '0'],
      ['Service Account', word(object, 'spec', 'serviceAccountName') || 'default'],
      ['Node', node === '' ? '<none>' : `${node}/10.1.0.1`],
      ...(node === '' ? [] : [['Start Time', dated(object.metadata.creationTimestamp ?? '')] as const]),
      ['Labels', labels(object, 'metadata', 'labels')],
      ['Annotations', pairs(object, 'metadata', 'annotations').map(([key, value]) => `${key}: ${value}`)],
      ['Status', word(object, 'status', 'phase')],
      ...(reason === ''
        ? []
        : ([
            ['Reason', reason],
            ['Message', word(object, 'status', 'message')],
          ] as const)),
      ['IP', word(object, 'status', 'podIP')],
      ...(owner === undefined ? [] : [['Controlled By', `${owner.kind}/${owner.name}`] as const]),
    ]),
    ...containers(object.spec, statuses, '', true),
    'Conditions:',
    ...table(
      ['  Type', 'Status'],
      items(object, 'status', 'conditions').map((each) => [`  ${word(each, 'type')}`, word(each, 'status')]),
    ),
    ...volumes(object.spec, ''),
    `QoS Class:                   Burstable`,
    ...placement(object.spec, ''),
    ...eventLines(object, describing),
  ];
}

const count = (object: KubeObject, field: string): string => word(object, 'status', field) || '0';

function deployment(object: KubeObject, describing: Describing): string[] {
  const desired = word(object, 'spec', 'replicas') || '1';
  return [
    ...head(object, [
      ['CreationTimestamp', dated(object.metadata.creationTimestamp ?? '')],
      ['Selector', joined(pairs(object, 'spec', 'selector', 'matchLabels'))],
      [
        'Replicas',
        `${desired} desired | ${count(object, 'updatedReplicas')} updated | ${count(object, 'replicas')} total | ` +
          `${count(object, 'availableReplicas')} available | ${count(object, 'unavailableReplicas')} unavailable`,
      ],
      ['StrategyType', word(object, 'spec', 'strategy', 'type')],
    ]),
    ...template(object),
    ...conditionLines(object),
    ...eventLines(object, describing),
  ];
}

function conditionLines(object: KubeObject): string[] {
  const list = items(object, 'status', 'conditions').map((each) => [
    `  ${word(each, 'type')}`,
    word(each, 'status'),
    word(each, 'reason'),
  ]);
  return list.length === 0
    ? []
    : ['Conditions:', ...table(['  Type', 'Status', 'Reason'], [['  ----', '------', '------'], ...list])];
}

function replicas(object: KubeObject, describing: Describing): string[] {
  const [owner] = object.metadata.ownerReferences ?? [];
  const current = count(object, 'replicas');
  return [
    ...head(object, [
      ['CreationTimestamp', dated(object.metadata.creationTimestamp ?? '')],
      ['Selector', joined(pairs(object, 'spec', 'selector', 'matchLabels'))],
      ...(owner === undefined ? [] : [['Controlled By', `${owner.kind}/${owner.name}`] as const]),
      [
        'Replicas',
        object.kind === 'ReplicaSet'
          ? `${current} current / ${word(object, 'spec', 'replicas') || '1'} desired`
          : `${word(object, 'spec', 'replicas') || '1'} desired | ${current} total`,
      ],
      ['Pods Status', podCounts(object, describing)],
    ]),
    ...template(object),
    ...conditionLines(object),
    ...(object.kind === 'StatefulSet' ? ['Volume Claims:  <none>'] : []),
    ...eventLines(object, describing),
  ];
}

function podCounts({ metadata }: KubeObject, { snapshot }: Describing): string {
  const pods = snapshot.objects.filter(
    (each) =>
      each.kind === 'Pod' &&
      each.metadata.namespace === metadata.namespace &&
      each.metadata.ownerReferences?.[0]?.name === metadata.name,
  );
  const inPhase = (phase: string): number => pods.filter((each) => word(each, 'status', 'phase') === phase).length;
  return (
    `${inPhase('Running')} Running / ${inPhase('Pending')} Waiting / ${inPhase('Succeeded')} Succeeded / ` +
    `${inPhase('Failed')} Failed`
  );
}

function service(object: KubeObject, describing: Describing): string[] {
  const endpoints = describing.snapshot.objects.find(
    ({ kind, metadata }) =>
      kind === 'Endpoints' &&
      metadata.name === object.metadata.name &&
      metadata.namespace === object.metadata.namespace,
  );
  const addresses = endpoints === undefined ? '' : addressesOf(endpoints);
  return [
    ...rows([
      ['Name', object.metadata.name ?? ''],
      ['Namespace', object.metadata.namespace ?? ''],
      ['Labels', labels(object, 'metadata', 'labels')],
      ['Annotations', []],
      ['Selector', joined(pairs(object, 'spec', 'selector'))],
      ['Type', word(object, 'spec', 'type') || 'ClusterIP'],
      ['IP Family Policy', 'SingleStack'],
      ['IP Families', 'IPv4'],
      ['IP', word(object, 'spec', 'clusterIP') || 'None'],
      ...items(object, 'spec', 'ports').flatMap((port): (readonly [string, string])[] => [
        ['Port', `${word(port, 'name') || '<unset>'}  ${word(port, 'port')}/${word(port, 'protocol') || 'TCP'}`],
        ['TargetPort', `${word(port, 'targetPort') || word(port, 'port')}/${word(port, 'protocol') || 'TCP'}`],
        ['Endpoints', addresses],
      ]),
      ['Session Affinity', 'None'],
    ]),
    ...eventLines(object, describing),
  ];
}

function node(object: KubeObject, describing: Describing): string[] {
  const taints = items(object, 'spec', 'taints').map(
    (each) =>
      `${word(each, 'key')}${word(each, 'value') === '' ? '' : `=${word(each, 'value')}`}:${word(each, 'effect')}`,
  );
  return [
    ...rows([
      ['Name', object.metadata.name ?? ''],
      ['Roles', '<none>'],
      ['Labels', labels(object, 'metadata', 'labels')],
      ['CreationTimestamp', dated(object.metadata.creationTimestamp ?? '')],
      ['Taints', taints],
      ['Unschedulable', word(object, 'spec', 'unschedulable') || 'false'],
    ]),
    'Conditions:',
    ...table(
      ['  Type', 'Status', 'LastHeartbeatTime', 'LastTransitionTime', 'Reason', 'Message'],
      items(object, 'status', 'conditions').map((each) => [
        `  ${word(each, 'type')}`,
        word(each, 'status'),
        dated(word(each, 'lastHeartbeatTime')),
        dated(word(each, 'lastTransitionTime')),
        word(each, 'reason'),
        word(each, 'message'),
      ]),
    ),
    ...(['capacity', 'allocatable'] as const).flatMap((field) => [
      `${field === 'capacity' ? 'Capacity' : 'Allocatable'}:`,
      ...rows(pairs(object, 'status', field), '  '),
    ]),
    ...eventLines(object, describing),
  ];
}

function claim(object: KubeObject, describing: Describing): string[] {
  const isBound = word(object, 'status', 'phase') === 'Bound';
  return [
    ...rows([
      ['Name', object.metadata.name ?? ''],
      ['Namespace', object.metadata.namespace ?? ''],
      ['StorageClass', word(object, 'spec', 'storageClassName')],
      ['Status', word(object, 'status', 'phase')],
      ['Volume', word(object, 'spec', 'volumeName')],
      ['Labels', labels(object, 'metadata', 'labels')],
      ['Annotations', []],
      ['Finalizers', '[kubernetes.io/pvc-protection]'],
      ['Capacity', word(object, 'status', 'capacity', 'storage')],
      ['Access Modes', isBound ? modes(object) : ''],
      ['VolumeMode', 'Filesystem'],
    ]),
    ...eventLines(object, describing),
  ];
}

function volume(object: KubeObject, describing: Describing): string[] {
  const claimed = [word(object, 'spec', 'claimRef', 'namespace'), word(object, 'spec', 'claimRef', 'name')].filter(
    Boolean,
  );
  return [
    ...rows([
      ['Name', object.metadata.name ?? ''],
      ['Labels', labels(object, 'metadata', 'labels')],
      ['Annotations', []],
      ['Finalizers', '[kubernetes.io/pv-protection]'],
      ['StorageClass', word(object, 'spec', 'storageClassName')],
      ['Status', word(object, 'status', 'phase')],
      ['Claim', claimed.join('/')],
      ['Reclaim Policy', word(object, 'spec', 'persistentVolumeReclaimPolicy')],
      ['Access Modes', modes(object)],
      ['VolumeMode', 'Filesystem'],
      ['Capacity', word(object, 'spec', 'capacity', 'storage')],
      ['Node Affinity', '<none>'],
      ['Message', ''],
    ]),
    ...eventLines(object, describing),
  ];
}

function quota(object: KubeObject): string[] {
  return [
    ...rows([
      ['Name', object.metadata.name ?? ''],
      ['Namespace', object.metadata.namespace ?? ''],
    ]),
    ...table(
      ['Resource', 'Used', 'Hard'],
      [
        ['--------', '----', '----'],
        ...pairs(object, 'status', 'hard').map(([name, hard]) => [
          name,
          word(object, 'status', 'used', name) || '0',
          hard,
        ]),
      ],
    ),
  ];
}

function configMap(object: KubeObject): string[] {
  return [
    ...head(object, []),
    '',
    'Data',
    '====',
    ...pairs(object, 'data').flatMap(([name, text]) => [`${name}:`, '----', ...text.split('\n'), '']),
    '',
    'BinaryData',
    '====',
    '',
    'Events:  <none>',
  ];
}

function eventLines(object: KubeObject, { snapshot, now }: Describing): string[] {
  const { kind, metadata } = object;
  const found = snapshot.events
    .filter(
      ({ about, uid }) =>
        about.kind === kind &&
        about.name === metadata.name &&
        about.namespace === (metadata.namespace ?? '') &&
        (uid === '' || metadata.uid === undefined || uid === metadata.uid),
    )
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  if (found.length === 0) return ['Events:  <none>'];
  const age = ({ time, count }: EventFact): string =>
    `${ageOf(time, now)}${count > 1 ? ` (x${count} over ${ageOf(time, now)})` : ''}`;
  return [
    'Events:',
    ...table(
      ['  Type', 'Reason', 'Age', 'From', 'Message'],
      [
        ['  ----', '------', '----', '----', '-------'],
        ...found.map((each) => [
          `  ${each.type}`,
          each.reason,
          age(each),
          each.source,
          each.message.split('\n')[0] ?? '',
        ]),
      ],
    ),
  ];
}
