import {
  BUILT_IN,
  Enforcer,
  isBroken,
  PROJECT_SCOPED,
  readPolicy,
  readRbacConfig,
  type RbacConfig,
} from '../../model/rbac/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { CliHost, ClusterFlags } from '../host/index.js';
import { readText } from '../files/index.js';
import { readFromCluster } from './settings.js';

export interface RbacFlags extends ClusterFlags {
  readonly policyFile?: string;
  readonly namespace?: string;
}

export interface CanFlags extends RbacFlags {
  readonly defaultRole?: string;
  readonly useBuiltinPolicy?: boolean;
  readonly strict?: boolean;
  readonly quiet?: boolean;
}

/** Other words that people use for a resource. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['account', 'accounts'],
  ['app', 'applications'],
  ['apps', 'applications'],
  ['application', 'applications'],
  ['cert', 'certificates'],
  ['certs', 'certificates'],
  ['certificate', 'certificates'],
  ['cluster', 'clusters'],
  ['extension', 'extensions'],
  ['gpgkey', 'gpgkeys'],
  ['key', 'gpgkeys'],
  ['log', 'logs'],
  ['proj', 'projects'],
  ['projs', 'projects'],
  ['project', 'projects'],
  ['repo', 'repositories'],
  ['repos', 'repositories'],
  ['repository', 'repositories'],
]);

const ALL_ACTIONS = ['create', 'get', 'update', 'delete'];
/** What can be done with each resource; a star stands for actions that may have a path behind them. */
const ACTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['accounts', ['create', 'update']],
  ['applications', ['create', 'get', 'update*', 'delete*', 'action*', 'override', 'sync']],
  ['applicationsets', ALL_ACTIONS],
  ['certificates', ['create', 'get', 'delete']],
  ['clusters', ALL_ACTIONS],
  ['extensions', ['invoke']],
  ['gpgkeys', ['create', 'get', 'delete']],
  ['logs', ['get']],
  ['exec', ['create']],
  ['projects', ALL_ACTIONS],
  ['repositories', ALL_ACTIONS],
]);

/** `admin settings rbac can`: whether a policy allows it, and the line that decides. */
export async function can(
  [subject, action, named, object = '']: readonly [string, string, string, string | undefined],
  flags: CanFlags,
  host: CliHost,
): Promise<{ readonly isAllowed: boolean; readonly why: string }> {
  const config = await readConfig(flags, host);
  const resource = ALIASES.get(named) ?? named;
  if (flags.strict !== false) checkWords(resource, action);
  const policy = readPolicy([...(flags.useBuiltinPolicy === false ? [] : [BUILT_IN]), ...config.texts]);
  if (isBroken(policy))
    throw new Fault('VALUE_INVALID', `the policy has a line that cannot be read: ${policy.broken}`, {
      where: policy.where,
    });
  const wish = {
    resource,
    action,
    object: PROJECT_SCOPED.has(resource) && (object === '' || object === '*') ? '*/*' : object,
  };
  const enforcer = new Enforcer(policy, config.mode);
  const defaultRole = flags.defaultRole ?? config.defaultRole;
  const verdicts = (defaultRole === '' ? [subject] : [defaultRole, subject]).map((name) =>
    enforcer.enforce(name, wish),
  );
  const verdict = verdicts.find(({ allowed }) => allowed) ?? verdicts.find(({ rule }) => rule !== undefined);
  return {
    isAllowed: verdict?.allowed === true,
    why: verdict?.rule === undefined ? 'no line allows it' : `${verdict.rule.line} (${verdict.rule.from})`,
  };
}

function checkWords(resource: string, action: string): void {
  const known = ACTIONS.get(resource);
  if (known === undefined)
    throw new Fault('USAGE', `'${resource}' is not a valid resource name; there are ${[...ACTIONS.keys()].join(', ')}`);
  const [word = '', ...path] = action.split('/');
  if (!known.includes(`${word}*`) && !(known.includes(word) && path.length === 0))
    throw new Fault(
      'USAGE',
      `'${action}' is not a valid action for ${resource}; there are ` +
        known.map((each) => each.replace('*', '[/...]')).join(', '),
    );
}

/** `admin settings rbac validate`: the first line that cannot be read; empty where all can. */
export async function validateRbac(flags: RbacFlags, host: CliHost): Promise<string> {
  const config = await readConfig(flags, host);
  if (config.texts.every(({ text }) => text.trim() === ''))
    throw new Fault('VALUE_INVALID', 'Policy is empty or could not be loaded.', {
      where: flags.policyFile ?? 'argocd-rbac-cm',
    });
  const policy = config.problem ?? readPolicy(config.texts);
  return isBroken(policy) ? `${policy.where}: ${policy.broken}` : '';
}

async function readConfig(flags: RbacFlags, host: CliHost): Promise<RbacConfig> {
  if ((flags.policyFile === undefined) === (flags.namespace === undefined))
    throw new Fault('USAGE', 'please provide exactly one of --policy-file or --namespace');
  if (flags.policyFile === undefined) {
    const { data } = await readFromCluster(flags, host, 'argocd-rbac-cm');
    return readRbacConfig(isObject(data) ? data : {});
  }
  const text = readText(flags.policyFile);
  const data = configMapData(text);
  const config = readRbacConfig(data ?? { 'policy.csv': text });
  return {
    ...config,
    texts: config.texts.map(({ text: each, from }) => ({
      text: each,
      from:
        data === undefined
          ? (flags.policyFile ?? from)
          : `${flags.policyFile ?? ''} ${from.replace('argocd-rbac-cm ', '')}`,
    })),
  };
}

/** A file is lines of a policy, or a ConfigMap that has them. */
function configMapData(text: string): JsonObject | undefined {
  try {
    const value = readOneYaml(text, { dialect: 'kubernetes' });
    if (!isObject(value) || value.kind !== 'ConfigMap') return undefined;
    return isObject(value.data) ? value.data : {};
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
