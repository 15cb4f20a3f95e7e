import { writeFileSync } from 'node:fs';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { equal, own, put, drop, type JsonObject } from '../../model/json/index.js';
import type { KubeObject, ObjectMeta } from '../../model/kubernetes/index.js';
import {
  APPLICATION_SETS,
  APPLICATIONS,
  APP_PROJECTS,
  CONFIG_MAPS,
  SECRETS,
  type ResourceRef,
} from '../../model/resources/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { inputName, readObjects } from '../files/index.js';
import type { AppSession } from '../session/index.js';

/** In the order of an import: settings and credentials before what needs them. */
const KINDS: readonly ResourceRef[] = [CONFIG_MAPS, SECRETS, APP_PROJECTS, APPLICATION_SETS, APPLICATIONS];
const SETTINGS = [
  'cm',
  'cmd-params-cm',
  'gpg-keys-cm',
  'notifications-cm',
  'rbac-cm',
  'ssh-known-hosts-cm',
  'tls-certs-cm',
];
const SECRET_NAMES = ['argocd-secret', 'argocd-notifications-secret'];
const SECRET_TYPE = 'argocd.argoproj.io/secret-type';
/** Everything of an object that is what somebody wrote; status is the history of an Application. */
const PARTS = ['type', 'data', 'binaryData', 'spec', 'operation', 'status'];

export interface ExportFlags {
  readonly out: string;
  readonly applicationNamespaces?: readonly string[];
}

export interface ImportFlags {
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly stopOperation?: boolean;
  readonly applicationNamespaces?: readonly string[];
}

interface Backed {
  readonly kind: ResourceRef;
  readonly object: KubeObject;
}

/** `admin export`: settings, credentials, projects, Applications and sets of a control plane as YAML. */
export async function exportAll(session: AppSession, flags: ExportFlags): Promise<string> {
  const found = await read(session, flags.applicationNamespaces ?? []);
  const text = found.map(({ object }) => writeYaml(plain(object, session.controlNamespace))).join('---\n');
  if (flags.out === '-') return text;
  try {
    // It has every credential.
    writeFileSync(flags.out, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault('FILE_UNREADABLE', `cannot be written: ${error instanceof Error ? error.message : ''}`, {
      where: flags.out,
      hint: 'name a file in a folder that exists',
    });
  }
  const { controlNamespace } = session;
  return `${found.length} objects of namespace ${controlNamespace} exported to ${flags.out}; it has every credential\n`;
}

/** `admin import`: creates what is missing, changes what differs and, if asked, deletes what the file has not. */
export async function importAll(session: AppSession, source: string, flags: ImportFlags): Promise<string> {
  const wanted = readBackup(source, session.controlNamespace, flags);
  const foreign = wanted.flatMap(({ object }) => object.metadata.namespace ?? []);
  const there = await read(session, [...(flags.applicationNamespaces ?? []), ...foreign]);
  const live = new Map(there.map((each) => [keyOf(each), each]));
  const lines: string[] = [];
  const say = (each: Backed, what: string): void => {
    lines.push(
      `${each.kind.kind} ${keyOf(each).split(' ')[1] ?? ''} ${what}${flags.dryRun === true ? ' (dry run)' : ''}`,
    );
  };
  for (const each of wanted) say(each, await write(session.cluster, each, live.get(keyOf(each)), flags));
  if (flags.prune === true) {
    const kept = new Set(wanted.map(keyOf));
    for (const each of [...there].reverse().filter((other) => !kept.has(keyOf(other)))) {
      await remove(session.cluster, each, flags);
      say(each, 'pruned');
    }
  }
  return `${lines.join('\n')}\n`;
}

async function read({ cluster, controlNamespace }: AppSession, others: readonly string[]): Promise<Backed[]> {
  const backed: Backed[] = [];
  for (const kind of KINDS) {
    const isEverywhere = kind === APPLICATIONS || kind === APPLICATION_SETS;
    const namespaces = isEverywhere ? new Set([controlNamespace, ...others]) : [controlNamespace];
    for (const namespace of namespaces)
      for (const object of (await list(cluster, kind, namespace)).sort(byName))
        if (isBackedUp(object)) backed.push({ kind, object });
  }
  return backed;
}

async function list(cluster: Cluster, kind: ResourceRef, namespace: string): Promise<KubeObject[]> {
  try {
    const { items } = await cluster.list(kind, { namespace });
    return items.map((item) => ({ ...item, apiVersion: apiVersion(kind), kind: kind.kind }));
  } catch (error) {
    // A cluster may be without sets.
    if (error instanceof ClusterError && error.isNotFound) return [];
    throw error;
  }
}

function isBackedUp({ kind, metadata: { name = '', labels = {} } }: KubeObject): boolean {
  if (kind === 'ConfigMap') return SETTINGS.some((setting) => name === `argocd-${setting}`);
  if (kind === 'Secret') return SECRET_NAMES.includes(name) || own(labels, SECRET_TYPE) !== undefined;
  return true;
}

/** What somebody wrote; a namespace only where it is not that of the control plane, so that it fits another one. */
function plain(object: KubeObject, controlNamespace: string): KubeObject {
  const { name, namespace, labels = {}, annotations = {}, finalizers = [] } = object.metadata;
  const kept = { ...annotations };
  drop(kept, 'kubectl.kubernetes.io/last-applied-configuration');
  const metadata: ObjectMeta = {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined || namespace === controlNamespace ? {} : { namespace }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
  };
  return { apiVersion: object.apiVersion, kind: object.kind, metadata, ...partsOf(object) };
}

function partsOf(object: KubeObject): JsonObject {
  const parts: JsonObject = {};
  for (const name of PARTS) {
    const value = own(object, name);
    if (value !== undefined) put(parts, name, value);
  }
  return parts;
}

/** All of it is looked at before anything is written. */
function readBackup(source: string, controlNamespace: string, flags: ImportFlags): Backed[] {
  const backed = readObjects([source]).map((object): Backed => {
    const kind = KINDS.find((each) => each.kind === object.kind && apiVersion(each) === object.apiVersion);
    const { name = '', namespace = controlNamespace } = object.metadata;
    const problem = kind === undefined || !isBackedUp(object) ? 'is nothing that admin export writes' : '';
    if (kind === undefined || problem !== '' || name === '')
      throw new Fault('VALUE_INVALID', `${object.kind} ${name} ${problem === '' ? 'has no name' : problem}`, {
        where: inputName(source),
        hint: 'import what argosy or argocd admin export wrote; apply other objects with kubectl',
      });
    const copy: KubeObject = { ...object, metadata: { ...object.metadata, namespace } };
    if (flags.stopOperation === true) drop(copy, 'operation');
    return { kind, object: copy };
  });
  const rank = ({ kind }: Backed): number => KINDS.indexOf(kind);
  return backed.sort((a, b) => rank(a) - rank(b));
}

async function write(
  cluster: Cluster,
  { kind, object }: Backed,
  live: Backed | undefined,
  { dryRun = false }: ImportFlags,
): Promise<string> {
  if (live === undefined) {
    await cluster.create(kind, object, { dryRun });
    return 'created';
  }
  const { namespace = '' } = live.object.metadata;
  if (equal(plain(live.object, namespace), plain(object, namespace))) return 'unchanged';
  const { labels, annotations, finalizers } = object.metadata;
  const metadata: ObjectMeta = {
    ...live.object.metadata,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  const { apiVersion: version, kind: name } = live.object;
  await cluster.update(kind, { apiVersion: version, kind: name, metadata, ...partsOf(object) }, { dryRun });
  return 'updated';
}

async function remove(cluster: Cluster, { kind, object }: Backed, { dryRun = false }: ImportFlags): Promise<void> {
  const { name = '', namespace, uid = '' } = object.metadata;
  await cluster.remove(kind, { name, namespace }, { uid, dryRun });
}

function keyOf({ kind, object: { metadata } }: Backed): string {
  return `${kind.kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

function apiVersion({ group, version }: ResourceRef): string {
  return group === '' ? version : `${group}/${version}`;
}
