import { drop, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { entryOf } from '../json/index.js';
import { customMetadata, customObject } from './described-custom.js';
import {
  cellsOf,
  conditionsOf,
  countIn,
  entriesOf,
  find,
  linesOf,
  pairsOf,
  timeOf,
  plainValue,
  valueOf,
  type Entry,
} from './described-entries.js';
import { podOf, templateOf } from './described-pods.js';
import { kindOfResource } from './table-objects.js';
import { ageIn, timesIn } from './printed-ages.js';
import { subsetsOf } from './printed-endpoints.js';
import type { PrintedEvent, PrintedObject, TextFacts } from './printed-facts.js';

interface Described {
  readonly apiVersion: string;
  readonly kind: string;
  /** Headings that only this kind has, all of them. */
  readonly has: readonly string[];
  make(entries: readonly Entry[]): JsonObject;
}

const status = (entries: readonly Entry[], more: JsonObject = {}): JsonObject => ({
  status: { conditions: conditionsOf(entries), ...more },
});
const template = (entries: readonly Entry[]): JsonObject => {
  const found = templateOf(entries);
  return found === undefined ? {} : { template: found };
};

/** Which kind the headings belong to: `describe` prints the kind only for custom resources. The first match counts. */
const KINDS: readonly Described[] = [
  { apiVersion: 'v1', kind: 'Node', has: ['Taints', 'Allocatable'], make: nodeOf },
  { apiVersion: 'v1', kind: 'Node', has: ['Unschedulable', 'Conditions'], make: nodeOf },
  { apiVersion: 'v1', kind: 'Node', has: ['Roles', 'Taints'], make: nodeOf },
  { apiVersion: 'v1', kind: 'Pod', has: ['Containers', 'Status', 'Node'], make: podOf },
  { apiVersion: 'v1', kind: 'Pod', has: ['Containers', 'QoS Class'], make: podOf },
  { apiVersion: 'apps/v1', kind: 'Deployment', has: ['StrategyType'], make: deploymentOf },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    has: ['Reference', 'Min replicas'],
    make: autoscalerOf,
  },
  { apiVersion: 'v1', kind: 'PersistentVolume', has: ['Claim', 'Reclaim Policy'], make: volumeOf },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim', has: ['Volume', 'StorageClass', 'Access Modes'], make: claimOf },
  { apiVersion: 'v1', kind: 'Service', has: ['Selector', 'Type', 'Endpoints'], make: serviceOf },
  { apiVersion: 'v1', kind: 'Service', has: ['IP Families'], make: serviceOf },
  { apiVersion: 'apps/v1', kind: 'DaemonSet', has: ['Desired Number of Nodes Scheduled'], make: daemonSetOf },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', has: ['Volume Claims'], make: setOf },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', has: ['Update Strategy', 'Pods Status'], make: setOf },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    has: ['Schedule', 'Concurrency Policy'],
    make: (entries) => ({
      spec: { schedule: valueOf(entries, 'Schedule'), suspend: valueOf(entries, 'Suspend').toLowerCase() === 'true' },
      status: {},
    }),
  },
  { apiVersion: 'batch/v1', kind: 'Job', has: ['Parallelism', 'Completions'], make: jobOf },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', has: ['Replicas', 'Pods Status'], make: setOf },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', has: ['Ingress Class'], make: ingressOf },
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', has: ['Provisioner', 'VolumeBindingMode'], make: classOf },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    has: ['Resource Quotas', 'Status'],
    make: (entries) => status(entries, { phase: valueOf(entries, 'Status') }),
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    has: ['Mountable secrets', 'Tokens'],
    make: (entries) => ({
      imagePullSecrets: linesOf(find(entries, 'Image pull secrets')).map((line) => ({
        name: line.split(/\s/)[0] ?? '',
      })),
    }),
  },
];

/** One object of `kubectl describe`, as far as the text contains it, and its events. */
export function describedObject(lines: readonly string[], resource = ''): TextFacts | undefined {
  const entries = entriesOf(lines);
  const name = valueOf(entries, 'Name');
  if (entries.length < 2 || name === '') return undefined;
  const described = describedBy(entries, lines) ?? cutOff(resource);
  if (described === undefined) return eventsAlone(entries, name, resource);
  const { apiVersion, kind } = described;
  const namespace = valueOf(entries, 'Namespace');
  const created = timeOf(
    valueOf(entries, 'CreationTimestamp') || valueOf(entries, 'Created') || valueOf(entries, 'Start Time'),
  );
  const annotations = annotationsOf(entries);
  const object: KubeObject = {
    apiVersion,
    kind,
    ...described.make(entries),
    metadata: {
      ...customMetadata(entries),
      name,
      ...(namespace === '' ? {} : { namespace }),
      labels: pairsOf(find(entries, 'Labels')),
      ...(annotations === undefined ? {} : { annotations }),
      ...(created === '' ? {} : { creationTimestamp: created }),
      ...(valueOf(entries, 'Status').startsWith('Terminating') && created !== '' ? { deletionTimestamp: created } : {}),
      ...ownerOf(entries),
    },
  };
  const events = eventsOf(entries, { group: '', kind, namespace, name });
  if (kind === 'Job') failedByEvents(object, events);
  return { objects: [{ object }, ...(kind === 'Service' ? endpointsOf(object, entries) : [])], events };
}

/** Only the end of a description was pasted: the conditions of a node stand there, of others the events alone. */
function cutOff(resource: string): Described | undefined {
  return /^no(?:des?)?$/.test(resource)
    ? { apiVersion: 'v1', kind: 'Node', has: [], make: (entries) => status(entries) }
    : undefined;
}

function eventsAlone(entries: readonly Entry[], name: string, resource: string): TextFacts | undefined {
  const kind = kindOfResource(resource);
  const events = kind === undefined ? [] : eventsOf(entries, { group: '', kind, namespace: '', name });
  return events.length === 0 ? undefined : { objects: [], events };
}

function describedBy(entries: readonly Entry[], lines: readonly string[]): Described | undefined {
  const [apiVersion, kind] = [valueOf(entries, 'API Version'), valueOf(entries, 'Kind')];
  if (apiVersion !== '' && kind !== '') return { apiVersion, kind, has: [], make: customObject };
  const known = KINDS.find(({ has }) => has.every((name) => find(entries, name) !== undefined));
  if (known !== undefined) return known;
  if (lines.includes('No resource quota.'))
    return {
      apiVersion: 'v1',
      kind: 'Namespace',
      has: [],
      make: (all) => status(all, { phase: valueOf(all, 'Status') }),
    };
  if (lines.some((line) => /^Resource\s+Used\s+Hard/.test(line)))
    return { apiVersion: 'v1', kind: 'ResourceQuota', has: [], make: quotaOf };
  // Maps of data have a heading that is underlined.
  if (!entries.some(({ raw }, index) => raw === 'Data' && entries[index + 1]?.raw === '====')) return undefined;
  const isSecret = find(entries, 'Type') !== undefined;
  return {
    apiVersion: 'v1',
    kind: isSecret ? 'Secret' : 'ConfigMap',
    has: [],
    make: () => ({ data: isSecret ? keysOf(entries) : textsOf(lines) }),
  };
}

/** Keys of a Secret are printed with the size of their values. */
function keysOf(entries: readonly Entry[]): JsonObject {
  return Object.fromEntries(entries.filter(({ value }) => /^\d+ bytes$/.test(value)).map(({ name }) => [name, '']));
}

/** Texts of a ConfigMap follow their key and a line, and end with an empty line. */
function textsOf(lines: readonly string[]): JsonObject {
  const data: JsonObject = {};
  const isKey = (at: number): boolean => /^\S+:$/.test(lines[at] ?? '') && lines[at + 1] === '----';
  for (let at = 0; at < lines.length; at++) {
    if (!isKey(at)) continue;
    let end = at + 2;
    while (
      end < lines.length &&
      !isKey(end) &&
      !(lines[end] === 'BinaryData' && lines[end + 1] === '====') &&
      !/^Events:/.test(lines[end] ?? '')
    )
      end++;
    put(
      data,
      (lines[at] ?? '').slice(0, -1),
      lines
        .slice(at + 2, end)
        .join('\n')
        .trimEnd(),
    );
  }
  return data;
}

function annotationsOf(entries: readonly Entry[]): Record<string, string> | undefined {
  const pairs = linesOf(find(entries, 'Annotations')).flatMap((line) => {
    const match = /^([^:\s]+): (.*)$/.exec(line);
    return match === null ? [] : [[match[1] ?? '', match[2] ?? ''] as const];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

const OWNERS: Readonly<Record<string, string>> = {
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
};

function ownerOf(entries: readonly Entry[]): Pick<KubeObject['metadata'], 'ownerReferences'> {
  const [kind = '', name = ''] = valueOf(entries, 'Controlled By').split('/');
  const apiVersion = entryOf(OWNERS, kind);
  return apiVersion === undefined ? {} : { ownerReferences: [{ apiVersion, kind, name, uid: '', controller: true }] };
}

const EVENT = /^(Normal|Warning)\s{2,}(\S+)\s{2,}(?:(.+?)\s{2,})?(\S+)\s{2,}(.+)$/;

function eventsOf(entries: readonly Entry[], about: PrintedEvent['about']): PrintedEvent[] {
  const table = find(entries, 'Events')?.below ?? [];
  const rows = cellsOf(table);
  return table
    .slice(1)
    .filter(({ raw }) => !/^[-=\s]+$/.test(raw))
    .flatMap(({ raw }, index) => {
      const event = eventByColumns(rows[index] ?? {}) ?? eventByLine(raw);
      if (event === undefined) return [];
      const [type = '', reason = '', age = '', source = '', message = ''] = event;
      return [{ about, uid: '', type, reason, source, message, count: timesIn(age), age: ageIn(age) }];
    });
}

function eventByColumns({
  Type,
  Reason,
  Age,
  From,
  Message,
}: Record<string, string>): readonly (string | undefined)[] | undefined {
  const isRow = /^(Normal|Warning)$/.test(Type ?? '') && (Reason ?? '') !== '' && (Message ?? '') !== '';
  return isRow ? [Type, Reason, Age, From, Message] : undefined;
}

function eventByLine(line: string): readonly (string | undefined)[] | undefined {
  return EVENT.exec(line)?.slice(1);
}

/** kubectl does not print the conditions of a Job; the event has the failure reason. */
function failedByEvents(job: KubeObject, events: readonly PrintedEvent[]): void {
  const end = events.find(({ reason }) => /^(BackoffLimitExceeded|DeadlineExceeded|PodFailurePolicy)$/.test(reason));
  const { status } = job;
  if (end !== undefined && typeof status === 'object' && status !== null && !Array.isArray(status))
    put(status, 'conditions', [{ type: 'Failed', status: 'True', reason: end.reason, message: end.message }]);
}

function nodeOf(entries: readonly Entry[]): JsonObject {
  const taints = linesOf(find(entries, 'Taints')).flatMap((line) => {
    const match = /^([^=:\s]+)(?:=([^:]*))?:(\w+)$/.exec(line);
    return match === null ? [] : [{ key: match[1] ?? '', value: match[2] ?? '', effect: match[3] ?? '' }];
  });
  return {
    spec: { taints, ...(valueOf(entries, 'Unschedulable') === 'true' ? { unschedulable: true } : {}) },
    ...status(entries, {
      allocatable: Object.fromEntries(
        (find(entries, 'Allocatable')?.below ?? []).map(({ name, value }): [string, Json] => [name, value]),
      ),
    }),
  };
}

const replicasOf = (entries: readonly Entry[], word: string): number => countIn(valueOf(entries, 'Replicas'), word);

function deploymentOf(entries: readonly Entry[]): JsonObject {
  const available = replicasOf(entries, 'available');
  return {
    spec: {
      replicas: replicasOf(entries, 'desired'),
      selector: { matchLabels: pairsOf(find(entries, 'Selector')) },
      ...template(entries),
    },
    ...status(entries, {
      replicas: replicasOf(entries, 'total'),
      updatedReplicas: replicasOf(entries, 'updated'),
      availableReplicas: available,
      readyReplicas: available,
    }),
  };
}

/** ReplicaSets and StatefulSets; they print running pods, not ready ones. */
function setOf(entries: readonly Entry[]): JsonObject {
  const [pods, replicas] = [valueOf(entries, 'Pods Status'), find(entries, 'Replicas')?.value ?? ''];
  return {
    spec: {
      replicas: countIn(replicas, 'desired'),
      selector: { matchLabels: pairsOf(find(entries, 'Selector')) },
      ...template(entries),
    },
    ...status(entries, {
      replicas: countIn(replicas, 'current') || countIn(replicas, 'total'),
      readyReplicas: countIn(pods, 'Running'),
      availableReplicas: countIn(pods, 'Running'),
    }),
  };
}

function daemonSetOf(entries: readonly Entry[]): JsonObject {
  const number = (name: string): number => Number(valueOf(entries, name) || 0);
  return {
    spec: { selector: { matchLabels: pairsOf(find(entries, 'Selector')) }, ...template(entries) },
    ...status(entries, {
      desiredNumberScheduled: number('Desired Number of Nodes Scheduled'),
      currentNumberScheduled: number('Current Number of Nodes Scheduled'),
      updatedNumberScheduled: number('Number of Nodes Scheduled with Up-to-date Pods'),
      numberAvailable: number('Number of Nodes Scheduled with Available Pods'),
      numberReady: number('Number of Nodes Scheduled with Available Pods'),
      numberMisscheduled: number('Number of Nodes Misscheduled'),
    }),
  };
}

function jobOf(entries: readonly Entry[]): JsonObject {
  const pods = valueOf(entries, 'Pods Statuses');
  return {
    spec: {
      completions: Number(valueOf(entries, 'Completions') || 1),
      parallelism: Number(valueOf(entries, 'Parallelism') || 1),
      ...(valueOf(entries, 'Backoff Limit') === '' ? {} : { backoffLimit: Number(valueOf(entries, 'Backoff Limit')) }),
      ...template(entries),
    },
    status: { active: countIn(pods, 'Active'), succeeded: countIn(pods, 'Succeeded'), failed: countIn(pods, 'Failed') },
  };
}

function autoscalerOf(entries: readonly Entry[]): JsonObject {
  const [kind = '', name = ''] = valueOf(entries, 'Reference').split('/');
  return {
    spec: {
      scaleTargetRef: { apiVersion: entryOf(OWNERS, kind) ?? '', kind, name },
      minReplicas: Number(valueOf(entries, 'Min replicas') || 1),
      maxReplicas: Number(valueOf(entries, 'Max replicas') || 1),
    },
    ...status(entries),
  };
}

const MODES: Readonly<Record<string, string>> = {
  RWO: 'ReadWriteOnce',
  ROX: 'ReadOnlyMany',
  RWX: 'ReadWriteMany',
  RWOP: 'ReadWriteOncePod',
};
const modesOf = (entries: readonly Entry[]): string[] =>
  valueOf(entries, 'Access Modes')
    .split(',')
    .filter((mode) => mode !== '')
    .map((mode) => entryOf(MODES, mode) ?? mode);

function claimOf(entries: readonly Entry[]): JsonObject {
  return {
    spec: {
      storageClassName: valueOf(entries, 'StorageClass'),
      volumeName: valueOf(entries, 'Volume'),
      accessModes: modesOf(entries),
    },
    status: { phase: valueOf(entries, 'Status').split(/\s/)[0] ?? '' },
  };
}

function volumeOf(entries: readonly Entry[]): JsonObject {
  const [namespace = '', name = ''] = valueOf(entries, 'Claim').split('/');
  return {
    spec: {
      storageClassName: valueOf(entries, 'StorageClass'),
      accessModes: modesOf(entries),
      capacity: { storage: valueOf(entries, 'Capacity') },
      ...(name === '' ? {} : { claimRef: { namespace, name } }),
    },
    status: { phase: valueOf(entries, 'Status').split(/\s/)[0] ?? '', message: valueOf(entries, 'Message') },
  };
}

function classOf(entries: readonly Entry[]): JsonObject {
  return { provisioner: valueOf(entries, 'Provisioner'), volumeBindingMode: valueOf(entries, 'VolumeBindingMode') };
}

function serviceOf(entries: readonly Entry[]): JsonObject {
  const targets = entries.filter(({ name }) => name === 'TargetPort').map(({ value }) => value.split('/')[0] ?? '');
  const ports = entries
    .filter(({ name }) => name === 'Port')
    .map(({ value }, index) => {
      const match = /(?:([\w-]+)\s+)?(\d+)\/(\w+)/.exec(value);
      const target = targets[index] ?? '';
      return {
        ...(match?.[1] === undefined ? {} : { name: match[1] }),
        port: Number(match?.[2] ?? 0),
        protocol: match?.[3] ?? 'TCP',
        targetPort: /^\d+$/.test(target) ? Number(target) : target,
      };
    });
  const balancer = valueOf(entries, 'LoadBalancer Ingress');
  return {
    spec: { type: valueOf(entries, 'Type'), selector: pairsOf(find(entries, 'Selector')), ports },
    status: { loadBalancer: balancer === '' ? {} : { ingress: balancer.split(', ').map((ip) => ({ ip })) } },
  };
}

/** The addresses behind a Service, which say whether any pod is ready; undefined where that line was not pasted. */
function endpointsOf({ metadata }: KubeObject, entries: readonly Entry[]): PrintedObject[] {
  const lines = entries.filter(({ name }) => name === 'Endpoints');
  if (lines.length === 0) return [];
  const { name = '', namespace } = metadata;
  const subsets = lines.flatMap(({ value }) => subsetsOf(plainValue(value)));
  const place = namespace === undefined ? {} : { namespace };
  return [{ object: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name, ...place }, subsets } }];
}

/** A table of resource, used and hard. */
function quotaOf(entries: readonly Entry[]): JsonObject {
  const [hard, used]: [JsonObject, JsonObject] = [{}, {}];
  for (const { raw } of entries) {
    const [, name, some, all] = /^([a-z][\w./-]*)\s+(\d\S*)\s+(\d\S*)$/.exec(raw) ?? [];
    if (name === undefined || some === undefined || all === undefined) continue;
    put(hard, name, all);
    put(used, name, some);
  }
  return { spec: { hard }, status: { hard, used } };
}

/** `  /path   web:80 (10.0.0.1:8080)` below its host. */
function ingressOf(entries: readonly Entry[]): JsonObject {
  const lines: string[] = [];
  const walk = (list: readonly Entry[]): void => {
    for (const { raw, below } of list) {
      lines.push(raw);
      walk(below);
    }
  };
  walk(find(entries, 'Rules')?.below ?? []);
  const paths = lines.flatMap((line) => {
    const match = /^(\/\S*|\*)?\s+([a-z0-9][-a-z0-9]*):([\w-]+) \(/.exec(` ${line}`.replace(/^ (?=\/)/, ''));
    return match === null
      ? []
      : [
          {
            path: match[1] ?? '/',
            backend: {
              service: {
                name: match[2] ?? '',
                port: /^\d+$/.test(match[3] ?? '') ? { number: Number(match[3]) } : { name: match[3] ?? '' },
              },
            },
          },
        ];
  });
  const tls = linesOf(find(entries, 'TLS')).flatMap((line) => /^(\S+) terminates/.exec(line)?.[1] ?? []);
  const spec: JsonObject = {
    ingressClassName: valueOf(entries, 'Ingress Class'),
    rules: [{ http: { paths } }],
    tls: tls.map((secretName) => ({ secretName })),
  };
  if (own(spec, 'ingressClassName') === '') drop(spec, 'ingressClassName');
  return { spec, status: {} };
}
