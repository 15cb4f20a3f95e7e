import { Fault } from '../../model/faults/index.js';
import { parseAppProject, type AppProject } from '../../model/argo/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ParsedChecklistInput } from './ignore-rules.js';
import { objectName, type Finding } from './checklist-input.js';

const SWITCH = ['true', 'false'];
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  CreateNamespace: SWITCH,
  Validate: SWITCH,
  PruneLast: SWITCH,
  Replace: SWITCH,
  Force: SWITCH,
  ServerSideApply: SWITCH,
  ApplyOutOfSyncOnly: SWITCH,
  RespectIgnoreDifferences: SWITCH,
  FailOnSharedResource: SWITCH,
  SkipDryRunOnMissingResource: SWITCH,
  ClientSideApplyMigration: SWITCH,
  Prune: [...SWITCH, 'confirm'],
  Delete: [...SWITCH, 'confirm'],
  PrunePropagationPolicy: ['foreground', 'background', 'orphan'],
};

/** Options are ones that somebody reads, and mean what people think they mean. */
export function checkOptions({ parsed, objects }: ParsedChecklistInput): Finding[] {
  const { syncOptions } = parsed.syncPolicy;
  const own = syncOptions.flatMap((option, index) =>
    checkOption(option, syncOptions).map((finding) => ({ ...finding, field: `/spec/syncPolicy/syncOptions/${index}` })),
  );
  return [
    ...own,
    ...objects.flatMap(({ key, target, origin }) => {
      const words = (target?.metadata.annotations?.['argocd.argoproj.io/sync-options'] ?? '')
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '');
      return words.flatMap((word) =>
        checkOption(word, [...words, ...syncOptions]).map((finding) => ({
          ...finding,
          object: objectName(key),
          where: origin,
          field: '/metadata/annotations/argocd.argoproj.io~1sync-options',
        })),
      );
    }),
  ];
}

function checkOption(option: string, all: readonly string[]): Finding[] {
  const at = option.indexOf('=');
  const [name, value] = at < 0 ? [option, ''] : [option.slice(0, at), option.slice(at + 1)];
  const values = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (values === undefined) {
    const meant = Object.keys(OPTIONS).find((known) => known.toLowerCase() === name.trim().toLowerCase());
    return [
      {
        state: 'fails',
        message: `${JSON.stringify(option)} is not a sync option and has no effect`,
        remedy:
          meant === undefined
            ? `use one of ${Object.keys(OPTIONS).join(', ')}`
            : `write ${meant}=${value.trim() || 'true'}`,
      },
    ];
  }
  if (!values.includes(value))
    return [
      {
        state: 'fails',
        message: `${JSON.stringify(option)} is invalid: ${name} takes ${values.join(', ')}`,
        remedy: `write ${name}=${values[0] ?? ''}`,
      },
    ];
  if (option === 'Replace=true' && !all.includes('Force=true'))
    return [
      {
        state: 'advised',
        message:
          'Replace=true removes fields that others set and does not recreate objects: a change of an ' +
          'immutable field still fails',
        remedy: 'remove it; to recreate an object, annotate that object with Force=true,Replace=true',
      },
    ];
  if (option === 'Validate=false')
    return [
      {
        state: 'advised',
        message: 'Validate=false silently drops misspelt fields',
        remedy: 'remove it, and fix what the API server rejects',
      },
    ];
  return [];
}

/** Drift and commits do not wait for a person. */
export function checkAutomated({ parsed }: ParsedChecklistInput): Finding[] {
  const { automated } = parsed.syncPolicy;
  const add = writeYaml({ spec: { syncPolicy: { automated: { prune: true, selfHeal: true } } } });
  if (automated === undefined)
    return [
      {
        state: 'advised',
        field: '/spec/syncPolicy',
        message: 'manual sync: commits and drift wait for someone to sync',
        remedy: 'enable auto-sync',
        add,
      },
    ];
  const missing = [...(automated.selfHeal ? [] : ['selfHeal']), ...(automated.prune ? [] : ['prune'])];
  return missing.length === 0
    ? []
    : [
        {
          state: 'advised',
          field: '/spec/syncPolicy/automated',
          message:
            `without ${missing.join(' and ')} ` +
            (missing.includes('selfHeal')
              ? 'manual changes are not reverted'
              : 'resources removed from git stay in the cluster'),
          remedy: 'enable prune and self-heal',
          add,
        },
      ];
}

/** A project says what its applications may do: from which repositories, to which namespaces. */
export function checkProject({ parsed, project, projectPlace = '' }: ParsedChecklistInput): Finding[] {
  if (project === undefined)
    return [{ state: 'unchecked', field: '/spec/project', message: `project ${parsed.project} not found` }];
  const read = readProject(project);
  if (typeof read === 'string')
    return [
      {
        state: 'fails',
        object: `AppProject ${parsed.project}`,
        where: projectPlace,
        message: read,
        remedy: 'correct the field',
      },
    ];
  const wide = [
    ...(read.sourceRepos.includes('*') ? ['any repository'] : []),
    ...(read.destinations.some(({ namespace }) => namespace === '*') ? ['any namespace'] : []),
    ...(read.clusterResourceWhitelist.some(({ group, kind }) => group === '*' && kind === '*')
      ? ['any cluster-scoped resource']
      : []),
  ];
  if (wide.length === 0) return [];
  return [
    {
      state: 'advised',
      object: `AppProject ${read.name}`,
      where: projectPlace,
      field: '/spec',
      message: `allows ${wide.join(', ')}: more than the application needs`,
      remedy: 'use a project that is restricted to its repositories and namespaces',
      add: writeYaml(narrowProject(parsed, parsed.project === 'default' ? parsed.name : parsed.project)),
    },
  ];
}

function readProject(project: KubeObject): AppProject | string {
  try {
    return parseAppProject(project);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function narrowProject(
  { sources, destination: { server, name, namespace } }: ParsedChecklistInput['parsed'],
  project: string,
): JsonObject {
  const repositories = [
    ...new Set(sources.map(({ repoURL }) => (typeof repoURL === 'string' ? repoURL : '')).filter((url) => url !== '')),
  ];
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: project },
    spec: { sourceRepos: repositories, destinations: [{ ...(server === '' ? { name } : { server }), namespace }] },
  };
}

/** The project delivers only commits that somebody signed. */
export function checkSigned({ parsed, project, projectPlace = '' }: ParsedChecklistInput): Finding[] {
  if (project === undefined)
    return [{ state: 'unchecked', field: '/spec/project', message: `project ${parsed.project} not found` }];
  const read = readProject(project);
  if (typeof read === 'string' || read.signaturePolicies.some(({ mode }) => mode !== 'none')) return [];
  const urls = [
    ...new Set(
      parsed.sources
        .filter(({ chart }) => chart === undefined)
        .map(({ repoURL }) => (typeof repoURL === 'string' ? repoURL : '')),
    ),
  ].filter((url) => url !== '' && !url.startsWith('oci://'));
  if (urls.length === 0) return [];
  return [
    {
      state: 'advised',
      object: `AppProject ${read.name}`,
      where: projectPlace,
      field: '/spec/sourceIntegrity',
      message: 'unsigned commits are deployed; whether commits are reviewed and tested is only known to the git server',
      remedy:
        'protect the branch on the git server, and require signatures here: key ids below, public keys in ' +
        'argocd-gpg-keys-cm',
      add: writeYaml({
        spec: {
          sourceIntegrity: {
            git: {
              policies: [{ repos: urls.map((url) => ({ url })), gpg: { mode: 'head', keys: ['the id of your key'] } }],
            },
          },
        },
      }),
    },
  ];
}
