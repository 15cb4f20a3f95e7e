import { put, type Json, type JsonObject, type KubeObject } from '../../model/index.js';
import { LONGEST_TEXT } from '../json-at.js';
import type { EventFact } from '../snapshot.js';
import type { TextFacts } from './table-objects.js';

/** A line of `kubectl describe` with what is indented below it. */
interface Entry {
  readonly name: string;
  readonly value: string;
  readonly below: Entry[];
  readonly raw: string;
}

function entriesOf(lines: readonly string[]): Entry[] {
  const root: Entry = { name: '', value: '', below: [], raw: '' };
  const open: { indent: number; entry: Entry }[] = [{ indent: -1, entry: root }];
  for (const whole of lines) {
    const line = whole.slice(0, LONGEST_TEXT);
    if (line.trim() === '') continue;
    const indent = line.length - line.trimStart().length;
    const match = /^([^:]+?):(?:\s+(.*))?$/.exec(line.trim());
    const entry: Entry = { name: match?.[1] ?? '', value: (match?.[2] ?? (match === null ? line.trim() : '')).trim(), below: [], raw: line.trim() };
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    open.at(-1)?.entry.below.push(entry);
    open.push({ indent, entry });
  }
  return root.below;
}

const find = (entries: readonly Entry[], name: string): Entry | undefined => entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
const valueOf = (entries: readonly Entry[], name: string): string => {
  const value = find(entries, name)?.value ?? '';
  return value === '<none>' || value === '<unset>' ? '' : value;
};

/** Which kind the headings belong to: `describe` does not say it, except for custom resources. */
function kindOf(entries: readonly Entry[]): { apiVersion: string; kind: string } | undefined {
  const has = (...names: string[]): boolean => names.every((name) => find(entries, name) !== undefined);
  if (has('API Version', 'Kind')) return { apiVersion: valueOf(entries, 'API Version'), kind: valueOf(entries, 'Kind') };
  if (has('Taints', 'Allocatable') || has('Unschedulable', 'Conditions')) return { apiVersion: 'v1', kind: 'Node' };
  if (has('Containers', 'Status') && (has('Node') || has('QoS Class'))) return { apiVersion: 'v1', kind: 'Pod' };
  if (has('StrategyType')) return { apiVersion: 'apps/v1', kind: 'Deployment' };
  if (has('Volume', 'StorageClass', 'Access Modes')) return { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
  if (has('Selector', 'Type', 'Endpoints') || has('IP Families')) return { apiVersion: 'v1', kind: 'Service' };
  if (has('Volume Claims') || has('Update Strategy', 'Pods Status')) return { apiVersion: 'apps/v1', kind: 'StatefulSet' };
  if (has('Desired Number of Nodes Scheduled')) return { apiVersion: 'apps/v1', kind: 'DaemonSet' };
  if (has('Parallelism', 'Completions')) return { apiVersion: 'batch/v1', kind: 'Job' };
  if (has('Controlled By', 'Pods Status')) return { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
  return has('Provisioner', 'VolumeBindingMode') ? { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' } : undefined;
}

/** One object of `kubectl describe`, as far as its text tells, and its events. */
export function describedObject(lines: readonly string[]): TextFacts | undefined {
  const entries = entriesOf(lines);
  const type = kindOf(entries);
  const name = valueOf(entries, 'Name');
  if (type === undefined || name === '') return undefined;
  const namespace = valueOf(entries, 'Namespace');
  const object: KubeObject = { ...type, metadata: { name, ...(namespace === '' ? {} : { namespace }), labels: labelsOf(entries), ...ownerOf(entries) }, ...(MAKERS[type.kind]?.(entries) ?? { status: { conditions: conditionsOf(entries) } }) };
  return { objects: [object], events: eventsOf(entries, { group: '', kind: type.kind, namespace, name }) };
}

function labelsOf(entries: readonly Entry[]): Record<string, string> {
  const start = entries.findIndex(({ name }) => name === 'Labels');
  const first = entries[start];
  return Object.fromEntries([first?.value ?? '', ...(first?.below ?? []).map(({ raw }) => raw)].flatMap((line) => {
    const split = line.indexOf('=');
    return split <= 0 ? [] : [[line.slice(0, split), line.slice(split + 1)] as const];
  }));
}

const OWNERS: Readonly<Record<string, string>> = { ReplicaSet: 'apps/v1', StatefulSet: 'apps/v1', DaemonSet: 'apps/v1', Deployment: 'apps/v1', Job: 'batch/v1', CronJob: 'batch/v1' };

function ownerOf(entries: readonly Entry[]): Pick<KubeObject['metadata'], 'ownerReferences'> {
  const [kind = '', name = ''] = valueOf(entries, 'Controlled By').split('/');
  const apiVersion = OWNERS[kind];
  return apiVersion === undefined ? {} : { ownerReferences: [{ apiVersion, kind, name, uid: '', controller: true }] };
}

/** Conditions stand in a table of type, status and for some kinds a reason. */
function conditionsOf(entries: readonly Entry[]): JsonObject[] {
  const table = find(entries, 'Conditions')?.below ?? [];
  return table.map(({ raw }) => raw.split(/\s{2,}/)).filter(([type, status]) => type !== 'Type' && type !== '----' && status !== undefined && !type?.startsWith('--'))
    .map((cells) => ({ type: cells[0] ?? '', status: (cells[1] ?? '').split(/\s/)[0] ?? '', ...(cells.length === 3 ? { reason: cells[2] ?? '' } : cells.length >= 6 ? { reason: cells[4] ?? '', message: cells[5] ?? '' } : {}) }));
}

const EVENT = /^(Normal|Warning)\s{2,}(\S+)\s{2,}(?:(.+?)\s{2,})?(\S+)\s{2,}(.+)$/;

function eventsOf(entries: readonly Entry[], about: EventFact['about']): EventFact[] {
  return (find(entries, 'Events')?.below ?? []).flatMap(({ raw }) => {
    const match = EVENT.exec(raw);
    return match === null ? [] : [{ about, uid: '', type: match[1] ?? '', reason: match[2] ?? '', source: match[4] ?? '', message: match[5] ?? '', count: Number(/x(\d+)/.exec(match[3] ?? '')?.[1] ?? 1), time: undefined }];
  });
}

const MAKERS: Readonly<Record<string, (entries: readonly Entry[]) => JsonObject>> = {
  Pod: podOf,
  Node: (entries) => ({ spec: { taints: taintsOf(entries), ...(valueOf(entries, 'Unschedulable') === 'true' ? { unschedulable: true } : {}) }, status: { conditions: conditionsOf(entries), allocatable: Object.fromEntries((find(entries, 'Allocatable')?.below ?? []).map(({ name, value }) => [name, value])) } }),
  PersistentVolumeClaim: (entries) => ({ spec: { storageClassName: valueOf(entries, 'StorageClass'), volumeName: valueOf(entries, 'Volume'), accessModes: valueOf(entries, 'Access Modes').split(',').filter((mode) => mode !== '') }, status: { phase: valueOf(entries, 'Status') } }),
  Service: (entries) => ({ spec: { type: valueOf(entries, 'Type'), selector: selectorOf(valueOf(entries, 'Selector')), ports: portsOf(entries) } }),
  Deployment: (entries) => ({ spec: { replicas: countIn(valueOf(entries, 'Replicas'), 'desired') }, status: { conditions: conditionsOf(entries), availableReplicas: countIn(valueOf(entries, 'Replicas'), 'available'), updatedReplicas: countIn(valueOf(entries, 'Replicas'), 'updated'), readyReplicas: countIn(valueOf(entries, 'Replicas'), 'available') } }),
  ReplicaSet: (entries) => ({ spec: { replicas: countIn(valueOf(entries, 'Replicas'), 'desired') }, status: { conditions: conditionsOf(entries) } }),
  StorageClass: (entries) => ({ provisioner: valueOf(entries, 'Provisioner'), volumeBindingMode: valueOf(entries, 'VolumeBindingMode') }),
};

/** `1 current / 3 desired`, `3 desired | 1 updated | ...` */
function countIn(text: string, word: string): number {
  const part = text.split(/[|/]/).map((each) => each.trim()).find((each) => each.endsWith(` ${word}`));
  return Number.parseInt(part ?? '0', 10);
}

function selectorOf(text: string): JsonObject {
  const selector: JsonObject = {};
  for (const pair of text.split(',')) if (pair.includes('=')) put(selector, pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  return selector;
}

function portsOf(entries: readonly Entry[]): JsonObject[] {
  const targets = entries.filter(({ name }) => name === 'TargetPort').map(({ value }) => value.split('/')[0] ?? '');
  return entries.filter(({ name }) => name === 'Port').map(({ value }, index) => {
    const match = /(\d+)\/(\w+)/.exec(value);
    const target = targets[index] ?? '';
    return { port: Number(match?.[1] ?? 0), protocol: match?.[2] ?? 'TCP', targetPort: /^\d+$/.test(target) ? Number(target) : target };
  });
}

function taintsOf(entries: readonly Entry[]): JsonObject[] {
  const entry = find(entries, 'Taints');
  return [entry?.value ?? '', ...(entry?.below ?? []).map(({ raw }) => raw)].flatMap((line) => {
    const match = /^([^=:\s]+)(?:=([^:]*))?:(\w+)$/.exec(line);
    return match === null ? [] : [{ key: match[1] ?? '', value: match[2] ?? '', effect: match[3] ?? '' }];
  });
}

function podOf(entries: readonly Entry[]): JsonObject {
  const [init = [], main = []] = ['Init Containers', 'Containers'].map((name) => containersOf(find(entries, name)?.below ?? []));
  const node = valueOf(entries, 'Node').split('/')[0] ?? '';
  const account = valueOf(entries, 'Service Account');
  return {
    spec: { ...(node === '' ? {} : { nodeName: node }), ...(account === '' ? {} : { serviceAccountName: account }), nodeSelector: selectorOf(valueOf(entries, 'Node-Selectors')), initContainers: init.map(({ spec }) => spec), containers: main.map(({ spec }) => spec), volumes: volumesOf(entries) },
    status: { phase: valueOf(entries, 'Status'), ...(valueOf(entries, 'Reason') === '' ? {} : { reason: valueOf(entries, 'Reason'), message: valueOf(entries, 'Message') }), conditions: conditionsOf(entries), initContainerStatuses: init.map(({ status }) => status), containerStatuses: main.map(({ status }) => status) },
  };
}

function containersOf(entries: readonly Entry[]): { readonly spec: JsonObject; readonly status: JsonObject }[] {
  return entries.map(({ name, below }) => ({
    spec: { name, image: valueOf(below, 'Image'), ports: portNumbers(below), env: (find(below, 'Environment')?.below ?? []).map(variableOf), resources: { limits: amounts(below, 'Limits'), requests: amounts(below, 'Requests') }, ...probesOf(below) },
    status: { name, ready: valueOf(below, 'Ready') === 'True', restartCount: Number(valueOf(below, 'Restart Count') || 0), state: stateOf(find(below, 'State')), lastState: stateOf(find(below, 'Last State')) },
  }));
}

function portNumbers(below: readonly Entry[]): JsonObject[] {
  return (valueOf(below, 'Port') || valueOf(below, 'Ports')).split(',').flatMap((text) => {
    const match = /(\d+)\/(\w+)/.exec(text);
    return match === null || match[1] === '0' ? [] : [{ containerPort: Number(match[1]), protocol: match[2] ?? 'TCP' }];
  });
}

function amounts(below: readonly Entry[], name: string): JsonObject {
  return Object.fromEntries((find(below, name)?.below ?? []).map((entry): [string, Json] => [entry.name, entry.value]));
}

function variableOf({ name, value }: Entry): JsonObject {
  const match = /^<set to the key '([^']+)' (?:in|of) (secret|config map) '([^']+)'>(?:\s+Optional: (true|false))?/.exec(value);
  if (match === null) return { name, value };
  return { name, valueFrom: { [match[2] === 'secret' ? 'secretKeyRef' : 'configMapKeyRef']: { name: match[3] ?? '', key: match[1] ?? '', optional: match[4] === 'true' } } };
}

function stateOf(entry: Entry | undefined): JsonObject {
  if (entry === undefined) return {};
  const [reason, message, code] = ['Reason', 'Message', 'Exit Code'].map((name) => valueOf(entry.below, name));
  if (entry.value === 'Waiting') return { waiting: { reason: reason ?? '', message: message ?? '' } };
  if (entry.value === 'Running') return { running: {} };
  return entry.value === 'Terminated' ? { terminated: { reason: reason ?? '', message: message ?? '', exitCode: Number(code ?? 0) } } : {};
}

/** `http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3` */
function probesOf(below: readonly Entry[]): JsonObject {
  return Object.fromEntries([['Liveness', 'livenessProbe'], ['Readiness', 'readinessProbe'], ['Startup', 'startupProbe']].flatMap(([heading = '', field = '']) => {
    const text = valueOf(below, heading);
    if (text === '') return [];
    const number = (name: string): number => Number(new RegExp(`${name}=(\\d+)`).exec(text)?.[1] ?? 0);
    const address = /^http-get (https?):\/\/[^:/]*:(\w+)(\S*)/.exec(text);
    const socket = /^tcp-socket [^:]*:(\w+)/.exec(text);
    const port = (word = ''): Json => (/^\d+$/.test(word) ? Number(word) : word);
    return [[field, { ...(address === null ? {} : { httpGet: { scheme: (address[1] ?? '').toUpperCase(), port: port(address[2]), path: address[3] ?? '/' } }), ...(socket === null ? {} : { tcpSocket: { port: port(socket[1]) } }), initialDelaySeconds: number('delay'), timeoutSeconds: number('timeout'), periodSeconds: number('period'), failureThreshold: number('#failure') }] as const];
  }));
}

function volumesOf(entries: readonly Entry[]): JsonObject[] {
  return (find(entries, 'Volumes')?.below ?? []).flatMap(({ name, below }): JsonObject[] => {
    const [claim, secret] = [valueOf(below, 'ClaimName'), valueOf(below, 'SecretName')];
    if (claim !== '') return [{ name, persistentVolumeClaim: { claimName: claim } }];
    if (secret !== '') return [{ name, secret: { secretName: secret, optional: valueOf(below, 'Optional') === 'true' } }];
    return valueOf(below, 'Type').startsWith('ConfigMap') ? [{ name, configMap: { name: valueOf(below, 'Name'), optional: valueOf(below, 'Optional') === 'true' } }] : [];
  });
}
