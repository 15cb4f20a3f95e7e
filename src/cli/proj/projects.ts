import { readFileSync } from 'node:fs';
import { ClusterError } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { parseAppProject, readClusterSecret } from '../../model/argo/index.js';
import { readOneYaml, writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type AppSession, changeProject, findProject, withSpec } from '../session/index.js';
import { prettyJson } from '../output/index.js';
import { formatProject, formatProjects } from './print-project.js';
import { APP_PROJECTS, SECRETS } from '../../model/resources/index.js';

export interface ProjectFlags {
  readonly description?: string;
  readonly dest?: readonly string[];
  readonly src?: readonly string[];
  readonly sourceNamespaces?: readonly string[];
  readonly signatureKeys?: readonly string[];
  readonly destServiceAccounts?: readonly string[];
  readonly allowClusterResource?: readonly string[];
  readonly denyClusterResource?: readonly string[];
  readonly allowNamespacedResource?: readonly string[];
  readonly denyNamespacedResource?: readonly string[];
  readonly orphanedResources?: boolean;
  readonly orphanedResourcesWarn?: boolean;
  readonly file?: string;
  readonly upsert?: boolean;
}

export async function listProjects({ cluster, controlNamespace }: AppSession, output: string): Promise<string> {
  const { items } = await cluster.list(APP_PROJECTS, { namespace: controlNamespace });
  const sorted = [...items].sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''));
  if (output === 'json') return prettyJson(sorted);
  if (output === 'yaml') return writeYaml(sorted);
  return output === 'name' ? sorted.map(({ metadata }) => `${metadata.name ?? ''}\n`).join('') : formatProjects(sorted);
}

export async function getProject(session: AppSession, name: string, output: string): Promise<string> {
  const project = await findProject(session, name);
  if (output === 'json') return prettyJson(project);
  if (output === 'yaml') return writeYaml(project);
  return formatProject(project, {
    repositories: await scopedTo(session, name, 'repository', 'url'),
    clusters: await scopedTo(session, name, 'cluster', 'server'),
  });
}

/** Addresses that Secrets keep for this project alone; none where they may not be read. */
async function scopedTo(
  { cluster, controlNamespace }: AppSession,
  project: string,
  type: 'repository' | 'cluster',
  key: string,
): Promise<string[]> {
  try {
    const { items } = await cluster.list(SECRETS, {
      namespace: controlNamespace,
      labelSelector: `argocd.argoproj.io/secret-type=${type}`,
    });
    if (type === 'cluster')
      return items
        .map(readClusterSecret)
        .filter((known) => known.project === project)
        .map(({ server }) => server);
    return items.filter((secret) => decoded(secret, 'project') === project).map((secret) => decoded(secret, key));
  } catch (error) {
    if (error instanceof ClusterError && error.status === 403) return [];
    throw error;
  }
}

export function decoded({ data }: KubeObject, key: string): string {
  const value = isObject(data) ? own(data, key) : undefined;
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}

export async function createProject(session: AppSession, name: string | undefined, flags: ProjectFlags): Promise<void> {
  const given = flags.file === undefined ? undefined : readProject(flags.file);
  const wanted = name ?? given?.metadata.name;
  if (wanted === undefined || wanted === '') throw new Fault('USAGE', 'name the project, or give it with --file');
  if (given !== undefined && name !== undefined && given.metadata.name !== name)
    throw new Fault(
      'USAGE',
      `project name '${name}' does not match project spec metadata.name '${given.metadata.name ?? ''}'`,
    );
  const { cluster, controlNamespace } = session;
  const base: KubeObject = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { ...given?.metadata, name: wanted, namespace: controlNamespace },
    spec: isObject(given?.spec) ? given.spec : {},
  };
  const project = withSpec(base, specMembers(flags));
  parseAppProject(project);
  const existing = await cluster.get(APP_PROJECTS, { namespace: controlNamespace, name: wanted });
  if (existing === undefined) await cluster.create(APP_PROJECTS, project);
  else if (JSON.stringify(existing.spec) !== JSON.stringify(project.spec)) {
    if (flags.upsert !== true)
      throw new Fault('VALUE_INVALID', `existing project spec is different; use upsert flag to force update`, {
        where: wanted,
      });
    await changeProject(session, wanted, (before) => ({ ...before, spec: project.spec }));
  }
}

export async function setProject(session: AppSession, name: string, flags: ProjectFlags): Promise<void> {
  const members = specMembers(flags);
  if (Object.keys(members).length === 0) throw new Fault('USAGE', 'name what to set, such as --description');
  await changeProject(session, name, (before) => withSpec(before, members));
}

export async function deleteProjects(
  { cluster, controlNamespace, host }: AppSession,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const found = await cluster.get(APP_PROJECTS, { namespace: controlNamespace, name });
    if (found === undefined)
      throw new Fault('NAME_UNKNOWN', `project "${name}" not found in namespace ${controlNamespace}`, {
        where: cluster.server,
      });
    if (name === 'default')
      throw new Fault('VALUE_INVALID', 'name "default" is reserved and cannot be deleted', { where: name });
    await cluster.remove(
      APP_PROJECTS,
      { namespace: controlNamespace, name },
      { uid: found.metadata.uid ?? '', propagation: 'Background' },
    );
    host.stderr.write(`project '${name}' deleted\n`);
  }
}

/** What flags say of the spec, in its own words. */
function specMembers(flags: ProjectFlags): Record<string, Json> {
  const kinds = (items: readonly string[]): Json =>
    items.map((item) => {
      const at = item.indexOf('/');
      return at < 0 ? { group: '', kind: item } : { group: item.slice(0, at), kind: item.slice(at + 1) };
    });
  const parts =
    (names: readonly string[], flag: string) =>
    (item: string): JsonObject => {
      const texts = item.split(',');
      if (texts.length !== names.length)
        throw new Fault('USAGE', `"${item}" is not as ${flag} wants it: ${names.join(',').toUpperCase()}`, {
          where: flag,
        });
      return Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']));
    };
  const members: Record<string, Json | undefined> = {
    description: flags.description,
    destinations: flags.dest?.map(parts(['server', 'namespace'], '--dest')),
    sourceRepos: flags.src === undefined ? undefined : [...flags.src],
    sourceNamespaces: flags.sourceNamespaces === undefined ? undefined : [...flags.sourceNamespaces],
    signatureKeys: flags.signatureKeys?.map((keyID) => ({ keyID })),
    destinationServiceAccounts: flags.destServiceAccounts?.map(
      parts(['server', 'namespace', 'defaultServiceAccount'], '--dest-service-accounts'),
    ),
    clusterResourceWhitelist: flags.allowClusterResource === undefined ? undefined : kinds(flags.allowClusterResource),
    clusterResourceBlacklist: flags.denyClusterResource === undefined ? undefined : kinds(flags.denyClusterResource),
    namespaceResourceWhitelist:
      flags.allowNamespacedResource === undefined ? undefined : kinds(flags.allowNamespacedResource),
    namespaceResourceBlacklist:
      flags.denyNamespacedResource === undefined ? undefined : kinds(flags.denyNamespacedResource),
    orphanedResources:
      flags.orphanedResources === true || flags.orphanedResourcesWarn !== undefined
        ? { ...(flags.orphanedResourcesWarn === undefined ? {} : { warn: flags.orphanedResourcesWarn }) }
        : undefined,
  };
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function readProject(path: string): KubeObject {
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new Fault('FILE_UNREADABLE', error instanceof Error ? error.message : String(error), {
      where: path,
      cause: error,
    });
  }
  const value = readOneYaml(text, { dialect: 'kubernetes', file: path });
  if (!isObject(value) || value.kind !== 'AppProject' || !isObject(value.metadata))
    throw new Fault('VALUE_INVALID', 'not an AppProject', { where: path });
  return value as unknown as KubeObject;
}
