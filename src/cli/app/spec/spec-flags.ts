import { drop, isObject, own, put, type JsonObject } from '../../../model/json/index.js';
import { Fault } from '../../../model/faults/index.js';
import { SOURCE_FLAGS } from './source-flags.js';
import {
  assign,
  flagsGiven,
  inside,
  itemsOf,
  textsOf,
  tidy,
  type FlagValue,
  type GivenFlags,
  type SpecFlag,
} from './spec-flag.js';
import { plainDuration } from '../../command/index.js';

function at(path: readonly string[], flags: string, kind: SpecFlag['kind'], about: string): SpecFlag {
  return {
    flags,
    kind,
    about,
    apply: ({ spec }, value) => {
      const holder = path.slice(0, -1).reduce(inside, spec);
      assign(holder, path.at(-1) ?? '', value);
    },
  };
}

/** Auto-sync is off until `--sync-policy automated` turns it on. */
function automated(flags: string, field: string, about: string): SpecFlag {
  return {
    flags,
    kind: 'switch',
    about,
    apply: ({ spec }, value) => {
      const policy = inside(spec, 'syncPolicy');
      if (!isObject(own(policy, 'automated'))) policy.automated = { enabled: false };
      put(inside(policy, 'automated'), field, value === true);
    },
  };
}

function setSyncPolicy({ spec }: { readonly spec: JsonObject }, value: FlagValue): void {
  const policy = inside(spec, 'syncPolicy');
  if (value === 'none' || value === 'manual') drop(policy, 'automated');
  else if (value === 'automated' || value === 'automatic' || value === 'auto') policy.automated = {};
  else throw new Fault('USAGE', `Invalid sync-policy: ${String(value)}`);
  tidy(spec, 'syncPolicy');
}

function setSyncOptions({ spec }: { readonly spec: JsonObject }, value: FlagValue): void {
  const policy = inside(spec, 'syncPolicy');
  let options = itemsOf(policy, 'syncOptions').filter((each) => typeof each === 'string');
  for (const option of textsOf(value)) {
    if (option.startsWith('!')) options = options.filter((each) => each !== option.slice(1));
    else if (!options.includes(option)) options = [...options, option];
  }
  assign(policy, 'syncOptions', options);
  tidy(spec, 'syncPolicy');
}

function setRetryLimit({ spec }: { readonly spec: JsonObject }, value: FlagValue): void {
  const policy = inside(spec, 'syncPolicy');
  if (Number(value) < 0) throw new Fault('USAGE', `Invalid sync-retry-limit [${Number(value)}]`);
  if (value === 0) drop(policy, 'retry');
  else inside(policy, 'retry').limit = Number(value);
  tidy(spec, 'syncPolicy');
}

const RETRY: readonly SpecFlag[] = [
  {
    flags: '--sync-retry-limit <count>',
    kind: 'number',
    about: 'maximum number of retries of a failed sync',
    apply: setRetryLimit,
  },
  ...(['duration', 'maxDuration'] as const).map(
    (field): SpecFlag => ({
      flags: `--sync-retry-backoff-${field === 'duration' ? 'duration' : 'max-duration'} <duration>`,
      kind: 'text',
      about:
        field === 'duration'
          ? 'initial backoff between retries, such as 5s'
          : 'maximum backoff between retries, such as 3m',
      apply: ({ spec }, value) => {
        put(inside(inside(inside(spec, 'syncPolicy'), 'retry'), 'backoff'), field, plainDuration(String(value)));
      },
    }),
  ),
  at(
    ['syncPolicy', 'retry', 'backoff', 'factor'],
    '--sync-retry-backoff-factor <factor>',
    'number',
    'backoff factor between retries',
  ),
  at(['syncPolicy', 'retry', 'refresh'], '--sync-retry-refresh', 'switch', 'retry with the latest revision'),
];

const HYDRATOR: readonly SpecFlag[] = [
  at(['sourceHydrator', 'drySource', 'repoURL'], '--dry-source-repo <url>', 'text', 'the repository of the dry source'),
  at(
    ['sourceHydrator', 'drySource', 'targetRevision'],
    '--dry-source-revision <revision>',
    'text',
    'the revision of the dry source',
  ),
  at(['sourceHydrator', 'drySource', 'path'], '--dry-source-path <path>', 'text', 'the folder of the dry source'),
  at(
    ['sourceHydrator', 'syncSource', 'targetBranch'],
    '--sync-source-branch <branch>',
    'text',
    'the branch to sync from',
  ),
  at(['sourceHydrator', 'syncSource', 'path'], '--sync-source-path <path>', 'text', 'the folder to sync from'),
  at(
    ['sourceHydrator', 'hydrateTo', 'targetBranch'],
    '--hydrate-to-branch <branch>',
    'text',
    'the branch to hydrate to',
  ),
];

/** Every flag of `create` and `set` that changes the spec, in the order in which they are applied. */
export const SPEC_FLAGS: readonly SpecFlag[] = [
  ...SOURCE_FLAGS,
  ...HYDRATOR,
  at(
    ['destination', 'server'],
    '--dest-server <url>',
    'text',
    'address of the cluster, such as https://kubernetes.default.svc',
  ),
  at(['destination', 'name'], '--dest-name <name>', 'text', 'name of the cluster, such as in-cluster'),
  at(['destination', 'namespace'], '--dest-namespace <namespace>', 'text', 'default namespace of namespaced resources'),
  at(['project'], '--project <name>', 'text', 'the project'),
  at(
    ['revisionHistoryLimit'],
    '--revision-history-limit <count>',
    'number',
    'number of deployments kept in the history',
  ),
  {
    flags: '--sync-policy <policy>',
    kind: 'text',
    about: 'manual (none) or automated (auto, automatic)',
    apply: setSyncPolicy,
  },
  {
    flags: '--sync-option <option>',
    kind: 'list',
    about: 'add a sync option such as Prune=false, or remove one with a ! prefix; may be repeated',
    apply: setSyncOptions,
  },
  automated('--auto-prune', 'prune', 'auto-sync prunes resources that are no longer in git'),
  automated('--self-heal', 'selfHeal', 'auto-sync reverts changes made outside git'),
  automated('--allow-empty', 'allowEmpty', 'auto-sync may prune all resources'),
  ...RETRY,
];

/** Applies what was given to the spec; says whether anything was. */
export function applySpecFlags(spec: JsonObject, source: JsonObject, given: GivenFlags): boolean {
  const flags = flagsGiven(SPEC_FLAGS, given);
  for (const [flag, value] of flags) flag.apply({ spec, source }, value);
  return flags.length > 0;
}
