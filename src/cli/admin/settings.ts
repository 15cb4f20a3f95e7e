import { unifiedDiff } from '../../diff/index.js';
import { createActions, createAssessor, healthOverride, readOverrides, type Overrides } from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject, own, type JsonObject } from '../../model/json/index.js';
import { readSettings, type Settings } from '../../model/settings/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { type CliHost, controlNamespaceOf, openCluster, type ClusterFlags } from '../host/index.js';
import { loadCatalogue } from '../../control/index.js';
import { readObjects } from '../files/index.js';
import { formatTable } from '../output/index.js';
import { CONFIG_MAPS } from '../../model/resources/index.js';

export interface SettingsFlags extends ClusterFlags {
  readonly argocdCmPath?: string;
  readonly loadClusterSettings?: boolean;
  readonly namespace?: string;
}

export const GROUPS = ['accounts', 'general', 'kustomize', 'resource-overrides'] as const;

/** `data` of argocd-cm: from a file, or from the cluster. */
async function readData(flags: SettingsFlags, host: CliHost): Promise<JsonObject> {
  const map =
    flags.loadClusterSettings === true ? await readFromCluster(flags, host) : readFromFile(flags.argocdCmPath);
  return isObject(map.data) ? map.data : {};
}

function readFromFile(path: string | undefined): KubeObject {
  if (path === undefined) throw new Fault('USAGE', 'use --argocd-cm-path FILE or --load-cluster-settings');
  const found = readObjects([path]).find(({ kind }) => kind === 'ConfigMap');
  if (found === undefined) throw new Fault('VALUE_INVALID', 'no ConfigMap in the file', { where: path });
  return found;
}

/** One of the ConfigMaps of settings, as the cluster has it. */
export async function readFromCluster(flags: SettingsFlags, host: CliHost, name = 'argocd-cm'): Promise<KubeObject> {
  const cluster = await openCluster(flags, host, true);
  try {
    const namespace = controlNamespaceOf(cluster.server, host, {
      given: flags.namespace,
      kubeconfig: flags.kubeconfig,
    });
    const found = await cluster.get(CONFIG_MAPS, { namespace, name });
    if (found === undefined)
      throw new Fault('VALUE_INVALID', `ConfigMap ${name} not found in namespace ${namespace}`, {
        where: cluster.server,
      });
    return found;
  } finally {
    await cluster.close();
  }
}

/** Each group with a mark and a summary, or what is wrong; says whether anything is. */
export async function validate(
  groups: readonly string[],
  flags: SettingsFlags,
  host: CliHost,
): Promise<{ readonly text: string; readonly isValid: boolean }> {
  const unknown = groups.find((group) => !(GROUPS as readonly string[]).includes(group));
  if (unknown !== undefined)
    throw new Fault('USAGE', `unknown group "${unknown}"; known are ${GROUPS.join(', ')}`, { where: '--group' });
  const data = await readData(flags, host);
  const results = (groups.length === 0 ? GROUPS : groups).map((group) => {
    try {
      return { group, isValid: true, said: CHECKS[group as (typeof GROUPS)[number]](data) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { group, isValid: false, said: `${error.where === '' ? '' : `${error.where}: `}${error.message}` };
    }
  });
  return {
    text: results
      .map(({ group, isValid, said }) => `${isValid ? '✅' : '❌'} ${group}\n${said === '' ? '' : `${said}\n`}`)
      .join('\n'),
    isValid: results.every(({ isValid }) => isValid),
  };
}

const textOf = (data: JsonObject, key: string): string => {
  const value = own(data, key);
  return typeof value === 'string' ? value : '';
};

/** What the data of argocd-cm comes to. */
export function settingsOf(data: JsonObject): Settings {
  const none = new Map<string, string>();
  return readSettings({
    cm: new Map(Object.keys(data).map((key) => [key, textOf(data, key)])),
    rbac: none,
    cmdParams: none,
    environment: {},
  });
}

const CHECKS: Readonly<Record<(typeof GROUPS)[number], (data: JsonObject) => string>> = {
  accounts(data) {
    const configured = Object.keys(data).flatMap((key) => /^accounts\.([^.]+)/.exec(key)?.slice(1) ?? []);
    return `${new Set(['admin', ...configured]).size} accounts`;
  },
  general(data) {
    const {
      problems: [problem],
    } = settingsOf(data);
    if (problem !== undefined) throw new Fault('VALUE_INVALID', problem.message, { where: problem.key });
    const provider = ssoProvider(data);
    return provider === undefined
      ? 'SSO is not configured'
      : `${provider} is configured${textOf(data, 'url') === '' ? " ('url' field is missing)" : ''}`;
  },
  kustomize(data) {
    const versions = Object.keys(data).filter((key) => /^kustomize\.(version|path)\./.test(key)).length;
    const options = textOf(data, 'kustomize.buildOptions') || 'default options';
    return versions > 0 ? `${options} (${versions} versions)` : options;
  },
  'resource-overrides'(data) {
    const {
      byKind,
      problems: [problem],
    } = readOverrides(data);
    if (problem !== undefined) throw new Fault('VALUE_INVALID', problem.message, { where: problem.key });
    return `${byKind.size} resource overrides`;
  },
};

interface Override {
  readonly object: KubeObject;
  readonly overrides: Overrides;
  readonly data: JsonObject;
}

export async function openOverride(file: string, flags: SettingsFlags, host: CliHost): Promise<Override> {
  const [object, ...others] = readObjects([file]);
  if (object === undefined || others.length > 0)
    throw new Fault('VALUE_INVALID', 'the file must have one object', { where: file });
  const data = await readData(flags, host);
  return { object, data, overrides: readOverrides(data) };
}

export const quotedKind = (object: KubeObject): string => `'${gvkOf(object).group}/${object.kind}'`;

export async function overrideHealth(file: string, flags: SettingsFlags, host: CliHost): Promise<string> {
  const { object, overrides } = await openOverride(file, flags, host);
  const { group, kind } = gvkOf(object);
  const verdict = createAssessor({
    catalogue: loadCatalogue(host.catalogue),
    overrides,
    now: host.now,
    elapsed: () => performance.now(),
  }).assess(object);
  if (verdict === undefined) return `Health script is not configured for ${quotedKind(object)}\n`;
  const note = healthOverride(overrides, group, kind) === undefined ? '(by the built-in check)\n' : '';
  return `STATUS: ${verdict.status}\nMESSAGE: ${verdict.message ?? ''}\n${note}`;
}

export async function listOverrideActions(file: string, flags: SettingsFlags, host: CliHost): Promise<string> {
  const { object, overrides } = await openOverride(file, flags, host);
  const actions = createActions({
    catalogue: loadCatalogue(host.catalogue),
    overrides,
    now: host.now,
    elapsed: () => performance.now(),
  }).discover(object);
  if (actions.length === 0) return `Actions are not configured for ${quotedKind(object)}\n`;
  return formatTable(
    ['NAME', 'DISABLED'],
    [...actions].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, disabled }) => [name, String(disabled)]),
  );
}

export async function runOverrideAction(
  file: string,
  action: string,
  parameters: Readonly<Record<string, string>>,
  flags: SettingsFlags,
  host: CliHost,
): Promise<string> {
  const { object, overrides } = await openOverride(file, flags, host);
  const impacts = createActions({
    catalogue: loadCatalogue(host.catalogue),
    overrides,
    now: host.now,
    elapsed: () => performance.now(),
  }).run(object, action, parameters);
  return impacts
    .map(({ operation, resource }) => {
      if (operation === 'create') return `Following resource was created:\n\n${writeYaml(resource)}\n`;
      const diff = unifiedDiff(writeYaml(resource), writeYaml(object));
      return diff === ''
        ? `No fields had been changed by action: \n${action}\n`
        : `Following fields have been changed:\n\n${diff}\n`;
    })
    .join('');
}

function ssoProvider(data: JsonObject): string | undefined {
  if (textOf(data, 'dex.config') !== '') return 'Dex';
  return textOf(data, 'oidc.config') === '' ? undefined : 'OIDC';
}
