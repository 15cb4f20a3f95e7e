import { readFileSync } from 'node:fs';
import { ClusterError } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import {
  type Json,
  type JsonObject,
  isObject,
  objectAt,
  objectsAt,
  own,
  textAt,
  valueAt,
} from '../../model/json/index.js';
import { type ApplicationId, idOf, qualifiedName, sourcesOf } from '../../model/argo/index.js';
import { readYaml, writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type AppSession } from '../session/index.js';
import { labelled } from '../application/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { APPLICATION_SETS } from '../../model/resources/index.js';

export interface ListFlags {
  readonly output: string;
  readonly selector?: string;
  readonly project?: readonly string[];
  readonly appsetNamespace?: string;
}

function setId(text: string, session: AppSession, namespace: string | undefined): ApplicationId {
  const parts = text.split('/');
  if (parts.length > 2 || parts.includes(''))
    throw new Fault('USAGE', `"${text}" is not an ApplicationSet name: use NAME or NAMESPACE/NAME`);
  const [first = '', second] = parts;
  return second === undefined
    ? { namespace: namespace ?? session.controlNamespace, name: first }
    : { namespace: first, name: second };
}

async function findSet(session: AppSession, id: ApplicationId): Promise<KubeObject> {
  const found = await session.cluster.get(APPLICATION_SETS, id);
  if (found === undefined)
    throw new Fault('NAME_UNKNOWN', `ApplicationSet "${id.name}" not found in namespace ${id.namespace}`, {
      where: session.cluster.server,
    });
  return found;
}

export async function listSets(
  { cluster, controlNamespace }: AppSession,
  { output, selector, project = [], appsetNamespace }: ListFlags,
): Promise<string> {
  const { items } = await cluster.list(APPLICATION_SETS, {
    namespace: appsetNamespace ?? controlNamespace,
    labelSelector: selector,
  });
  const sets = items
    .filter((set) => project.length === 0 || project.includes(templateText(set, 'project')))
    .sort((a, b) => compareText(qualifiedName(idOf(a)), qualifiedName(idOf(b))));
  if (output === 'json') return prettyJson(sets);
  if (output === 'yaml') return writeYaml(sets);
  if (output === 'name') return sets.map((set) => `${qualifiedName(idOf(set))}\n`).join('');
  return formatTable(
    ['NAME', 'PROJECT', 'SYNCPOLICY', 'HEALTH', 'CONDITIONS', 'REPO', 'PATH', 'TARGET'],
    sets.map((set) => {
      const [source] = sourcesOf(valueAt(set, 'spec', 'template'));
      const conditions = objectsAt(set, 'status', 'conditions')
        .filter((condition) => condition.status === 'True')
        .map((condition) => textAt(condition, 'type'));
      return [
        qualifiedName(idOf(set)),
        templateText(set, 'project'),
        policyText(objectAt(set, 'spec', 'syncPolicy')),
        textAt(set, 'status', 'health', 'status'),
        conditions.join(',') || '<none>',
        textAt(source ?? {}, 'repoURL'),
        textAt(source ?? {}, 'path'),
        textAt(source ?? {}, 'targetRevision'),
      ];
    }),
  );
}

function policyText(policy: JsonObject | undefined): string {
  if (policy === undefined) return 'nil';
  const sync = textAt(policy, 'applicationsSync') || 'sync';
  return policy.preserveResourcesOnDeletion === true ? `${sync}, preserve` : sync;
}

function templateText(set: KubeObject, name: string): string {
  return textAt(set, 'spec', 'template', 'spec', name);
}

export async function getSet(
  session: AppSession,
  name: string,
  { output, appsetNamespace }: { readonly output: string; readonly appsetNamespace?: string },
): Promise<string> {
  const set = await findSet(session, setId(name, session, appsetNamespace));
  if (output === 'json') return prettyJson(set);
  if (output === 'yaml') return writeYaml(set);
  const sources = sourcesOf(valueAt(set, 'spec', 'template'));
  const template = ['spec', 'template', 'spec'] as const;
  const automated = objectAt(set, ...template, 'syncPolicy', 'automated');
  const conditions = objectsAt(set, 'status', 'conditions');
  return [
    labelled('Name:', qualifiedName(idOf(set))),
    labelled('Project:', templateText(set, 'project')),
    labelled(
      'Server:',
      textAt(set, ...template, 'destination', 'server') || textAt(set, ...template, 'destination', 'name'),
    ),
    labelled('Namespace:', textAt(set, ...template, 'destination', 'namespace')),
    labelled('Health Status:', textAt(set, 'status', 'health', 'status')),
    sources.length > 1 ? 'Sources:\n' : 'Source:\n',
    ...sources.flatMap((source) => [
      labelled('- Repo:', textAt(source, 'repoURL')),
      labelled('  Target:', textAt(source, 'targetRevision')),
      textAt(source, 'path') === '' ? '' : labelled('  Path:', textAt(source, 'path')),
    ]),
    labelled(
      'SyncPolicy:',
      automated === undefined ? '<none>' : `Automated${automated.prune === true ? ' (Prune)' : ''}`,
    ),
    conditions.length === 0
      ? ''
      : `\n${formatTable(
          ['CONDITION', 'STATUS', 'MESSAGE', 'LAST TRANSITION'],
          conditions.map((condition) =>
            ['type', 'status', 'message', 'lastTransitionTime'].map((field) =>
              textAt(condition, field).replaceAll('\n', ' '),
            ),
          ),
        )}`,
  ].join('');
}

export async function createSets(
  session: AppSession,
  files: readonly string[],
  flags: {
    readonly upsert?: boolean;
    readonly dryRun?: boolean;
    readonly output: string;
    readonly appsetNamespace?: string;
  },
): Promise<string> {
  const sets = files
    .flatMap((file) => readSets(file))
    .map((set) => ({
      ...set,
      metadata: {
        ...set.metadata,
        namespace: set.metadata.namespace ?? flags.appsetNamespace ?? session.controlNamespace,
      },
    }));
  if (sets.length === 0) throw new Fault('USAGE', 'no ApplicationSet in the files', { where: files.join(', ') });
  const made: KubeObject[] = [];
  for (const set of sets) made.push(await createSet(session, set, flags));
  if (flags.output === 'json') return prettyJson(made.length === 1 ? (made[0] as unknown as Json) : made);
  if (flags.output === 'yaml') return made.map((set) => writeYaml(set)).join('---\n');
  return made
    .map(
      (set) =>
        `ApplicationSet '${qualifiedName(idOf(set))}' ${flags.dryRun === true ? 'created (dry run)' : 'created'}\n`,
    )
    .join('');
}

async function createSet(
  { cluster }: AppSession,
  set: KubeObject,
  { upsert, dryRun = false }: { readonly upsert?: boolean; readonly dryRun?: boolean },
): Promise<KubeObject> {
  const existing = await cluster.get(APPLICATION_SETS, idOf(set));
  if (existing === undefined) return cluster.create(APPLICATION_SETS, set, { dryRun });
  if (JSON.stringify(existing.spec) === JSON.stringify(set.spec)) return existing;
  if (upsert !== true)
    throw new Fault('VALUE_INVALID', 'existing ApplicationSet spec is different, use upsert flag to force update', {
      where: idOf(set).name,
    });
  try {
    return await cluster.update(
      APPLICATION_SETS,
      {
        ...existing,
        metadata: { ...existing.metadata, labels: { ...existing.metadata.labels, ...set.metadata.labels } },
        spec: set.spec,
      },
      { dryRun },
    );
  } catch (error) {
    if (error instanceof ClusterError && error.isConflict)
      throw new Fault('CLUSTER_REFUSED', 'it was changed meanwhile: try again', {
        where: error.where,
        cause: error,
      });
    throw error;
  }
}

/** What a set would make, without writing anything. */
export async function generateApplications(
  session: AppSession,
  file: string,
  { output, appsetNamespace }: { readonly output: string; readonly appsetNamespace?: string },
): Promise<string> {
  const [set, ...others] = readSets(file);
  if (set === undefined || others.length > 0)
    throw new Fault('USAGE', 'the file must contain one ApplicationSet', { where: file });
  const placed = {
    ...set,
    metadata: { ...set.metadata, namespace: set.metadata.namespace ?? appsetNamespace ?? session.controlNamespace },
  };
  const applications = await session.host.generate(session.cluster, placed, { namespace: session.controlNamespace });
  if (output === 'json') return prettyJson([...applications]);
  if (output === 'yaml') return applications.map((application) => writeYaml(application)).join('---\n');
  const { formatApplications } = await import('../app/list.js');
  return formatApplications(applications, true);
}

function readSets(file: string): KubeObject[] {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Fault('FILE_UNREADABLE', error instanceof Error ? error.message : String(error), {
      where: file,
      cause: error,
    });
  }
  return readYaml(text, { dialect: 'kubernetes', file })
    .map(({ value }) => value)
    .filter((value) => value !== null)
    .map((value) => {
      if (
        !isObject(value) ||
        value.kind !== 'ApplicationSet' ||
        !isObject(value.metadata) ||
        typeof own(value.metadata, 'name') !== 'string'
      )
        throw new Fault('VALUE_INVALID', 'not an ApplicationSet with a name', { where: file });
      return value as unknown as KubeObject;
    });
}

export async function deleteSets(
  session: AppSession,
  names: readonly string[],
  { appsetNamespace, yes }: { readonly appsetNamespace?: string; readonly yes?: boolean },
): Promise<string> {
  let told = '';
  for (const name of names) {
    const set = await findSet(session, setId(name, session, appsetNamespace));
    const id = idOf(set);
    if (
      yes !== true &&
      !(await session.host.confirm(`Are you sure you want to delete '${qualifiedName(id)}' and all its Applications?`))
    )
      told += `The command to delete '${qualifiedName(id)}' was cancelled.\n`;
    else {
      await session.cluster.remove(APPLICATION_SETS, id, { uid: set.metadata.uid ?? '', propagation: 'Background' });
      told += `applicationset '${qualifiedName(id)}' deleted\n`;
    }
  }
  return told;
}
