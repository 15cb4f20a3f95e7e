import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { readYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { builtPart } from '../real/parts.js';
import { serveSnapshot } from './snapshot-server.js';

/**
 * `npm run contracts:record-triage`: what the real kubectl prints about the snapshots of the triage cases, as people
 * paste it. It is kept in `kubectl-output/`, so that tests read it without kubectl.
 */
const ROOT = join(import.meta.dirname, '../..');
const CASES = join(ROOT, 'src/triage/cases');
const OUTPUT_FOLDER = join(import.meta.dirname, 'kubectl-output');
const NOW = new Date('2026-11-16T12:00:00Z');
const run = promisify(execFile);

/** Objects as a server has them: a uid each, by which kubectl finds their events. */
function servedObjects(documents: readonly unknown[]): KubeObject[] {
  const objects = documents
    .filter((value): value is KubeObject => isObject(value as JsonObject) && (value as JsonObject).log === undefined)
    .map((value) => structuredClone(value));
  const uids = new Map(
    objects.map(({ kind, metadata }, index) => [
      `${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
      metadata.uid ?? `u${index}`,
    ]),
  );
  objects.forEach((object, index) => {
    object.metadata.uid ??= `u${index}`;
    object.metadata.creationTimestamp ??= '2026-11-16T10:00:00Z';
    const { conditions = [] } = (object.status ?? {}) as { conditions?: JsonObject[] };
    for (const condition of conditions)
      if (typeof condition.message === 'boolean') condition.message = String(condition.message);
    // Cases leave out what no rule asks for: which of the owners is the controller.
    for (const owner of object.metadata.ownerReferences ?? []) owner.controller ??= true;
    if (object.kind !== 'Event') return;
    object.metadata.name ??= `event-${index}`;
    const about = isObject(object.involvedObject) ? object.involvedObject : {};
    object.metadata.namespace ??= typeof about.namespace === 'string' ? about.namespace : 'default';
    about.uid ??= uids.get(`${String(about.kind)}/${String(about.namespace ?? '')}/${String(about.name)}`) ?? '';
    object.lastTimestamp ??= '2026-11-16T11:59:00Z';
  });
  for (const object of objects) completeSet(object, objects);
  return [...objects, ...objects.flatMap(eventsOf)];
}

/** A ReplicaSet of a case may say nothing of its pods; that of a cluster selects and counts them. */
function completeSet(set: KubeObject, objects: readonly KubeObject[]): void {
  if (set.kind !== 'ReplicaSet' || set.status !== undefined) return;
  const pods = objects.filter(
    ({ kind, metadata }) =>
      kind === 'Pod' &&
      metadata.namespace === set.metadata.namespace &&
      metadata.ownerReferences?.some(({ name }) => name === set.metadata.name) === true,
  );
  const hash = set.metadata.name ?? '';
  for (const { metadata } of pods) metadata.labels = { ...metadata.labels, 'pod-template-hash': hash };
  const ready = pods.filter(({ status }) =>
    JSON.stringify(status ?? {}).includes('"type":"Ready","status":"True"'),
  ).length;
  set.spec = { ...(isObject(set.spec) ? set.spec : {}), selector: { matchLabels: { 'pod-template-hash': hash } } };
  set.status = { replicas: pods.length, readyReplicas: ready, availableReplicas: ready };
}

/** What components say as Events at the same time as they write a status; describe shows the one and not the other. */
function eventsOf(object: KubeObject, index: number): KubeObject[] {
  if (object.kind !== 'Pod') return [];
  const {
    metadata: { namespace = '', name = '', uid = '' },
  } = object;
  const status = object.status as
    | { conditions?: JsonObject[]; containerStatuses?: JsonObject[]; initContainerStatuses?: JsonObject[] }
    | undefined;
  const event = (reason: string, message: string, component: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.said-${index}-${reason.toLowerCase()}`, namespace, uid: `e${index}${reason}` },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    type: 'Warning',
    reason,
    message,
    count: 3,
    firstTimestamp: '2026-11-16T11:00:00Z',
    lastTimestamp: '2026-11-16T11:59:00Z',
    source: { component },
  });
  const unscheduled = (status?.conditions ?? [])
    .filter((condition) => condition.type === 'PodScheduled' && condition.reason === 'Unschedulable')
    .map((condition) => event('FailedScheduling', String(condition.message), 'default-scheduler'));
  const waiting = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(
    (container) => {
      const { reason, message } = ((container.state as JsonObject | undefined)?.waiting ?? {}) as {
        reason?: string;
        message?: string;
      };
      if (message === undefined || reason === undefined) return [];
      if (/Image/.test(reason))
        return [
          event('Failed', message.startsWith('Failed') ? message : `Failed to pull image: ${message}`, 'kubelet'),
        ];
      return /^Create|^Run/.test(reason) ? [event('Failed', `Error: ${message}`, 'kubelet')] : [];
    },
  );
  return [...unscheduled, ...waiting];
}

async function recordOutput(kubectl: string, name: string): Promise<void> {
  const documents = readYaml(readFileSync(join(CASES, `${name}.yaml`), 'utf8'), { dialect: 'kubernetes' }).map(
    ({ value }) => value,
  );
  const objects = servedObjects(documents);
  const server = await serveSnapshot(objects, NOW);
  const cache = mkdtempSync(join(tmpdir(), 'argosy-kubectl-'));
  /** Cases leave out fields that kubectl needs; what it cannot print is empty. */
  const ask = async (...words: string[]): Promise<string> => {
    try {
      return (await run(kubectl, ['--server', server.url, '--cache-dir', cache, ...words], { maxBuffer: 1e8 })).stdout;
    } catch (error) {
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
      return '';
    }
  };
  const kinds = [
    ...new Set(
      objects
        .filter(({ kind }) => kind !== 'Event')
        .map(({ kind, apiVersion }) =>
          apiVersion.includes('/')
            ? `${kind.toLowerCase()}s.${apiVersion.split('/')[0] ?? ''}`
            : `${kind.toLowerCase()}s`,
        ),
    ),
  ].map((kind) =>
    kind
      .replace(/sss$/, 'sses')
      .replace(/(?<![aeiou])ys(?=$|\.)/, 'ies')
      .replace(/classs(?=$|\.)/, 'classes')
      .replace(/ingresss/, 'ingresses'),
  );
  try {
    mkdirSync(join(OUTPUT_FOLDER, name), { recursive: true });
    const described: string[] = [];
    for (const kind of kinds) described.push(await ask('describe', kind, '-A'));
    writeFileSync(join(OUTPUT_FOLDER, name, 'describe.txt'), described.join('\n\n'));
    const tables: string[] = [];
    for (const kind of kinds.filter(
      (each) => !each.includes('.') || /\.(apps|batch|autoscaling|networking\.k8s\.io|storage\.k8s\.io)$/.test(each),
    ))
      tables.push(await ask('get', kind, '-A', '-o', 'wide'));
    tables.push(await ask('get', 'events', '-A', '-o', 'wide'));
    writeFileSync(join(OUTPUT_FOLDER, name, 'wide.txt'), tables.join('\n'));
  } finally {
    rmSync(cache, { recursive: true, force: true });
    await server.close();
  }
}

const kubectl = await builtPart('kubectl');
if (process.argv[2] === undefined) rmSync(OUTPUT_FOLDER, { recursive: true, force: true });
const names = readdirSync(CASES)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => basename(file, '.yaml'));
for (const name of names.filter((each) => each.includes(process.argv[2] ?? ''))) {
  await recordOutput(kubectl, name);
  process.stdout.write(`${name}\n`);
}
