import { readInstallValues, type Installation } from '../../install/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, own, put, type JsonObject } from '../../model/json/index.js';
import { checkDns1123Label } from '../../model/kubernetes/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { inputName, readText } from '../files/index.js';
import type { CliHost, ClusterFlags } from '../host/index.js';

export interface InstallationFlags extends ClusterFlags {
  readonly namespace?: string;
}

export interface InstallFlags extends InstallationFlags {
  readonly output?: string;
  readonly image?: string;
  readonly ha?: number;
  readonly shards?: number;
  readonly readOnly?: boolean;
  readonly rights?: string;
  readonly deliverTo?: readonly string[];
  readonly notebooks?: boolean;
  readonly profile?: string;
  readonly values?: readonly string[];
  readonly timeout: number;
  readonly forceConflicts?: boolean;
  readonly dryRun?: boolean;
}

export interface UninstallFlags extends InstallationFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function namespaceOf({ namespace }: InstallationFlags, { environment }: Pick<CliHost, 'environment'>): string {
  const name = namespace ?? environment['ARGOSY_NAMESPACE'] ?? 'argocd';
  const problem = checkDns1123Label(name);
  if (problem.length === 0) return name;
  throw new Fault('VALUE_INVALID', `${JSON.stringify(name)} is not the name of a namespace`, {
    where: namespace === undefined ? 'ARGOSY_NAMESPACE' : '--namespace',
  });
}

/** What an installation was or will be made with: earlier values, then files, then flags. */
export function installationOf(
  flags: InstallFlags,
  host: Pick<CliHost, 'environment' | 'version'>,
  earlier: JsonObject = {},
): Installation {
  let given: JsonObject = { createNamespace: true, ...earlier };
  for (const file of flags.values ?? []) given = over(given, readValues(file));
  const { image, ha, shards, readOnly, rights, deliverTo, notebooks, profile } = flags;
  const said = { image, ha, shards, readOnly, rights, namespaces: deliverTo, notebooks, profile };
  for (const [name, value] of Object.entries(said))
    if (value !== undefined) put(given, name, typeof value === 'object' ? [...value] : value);
  return { values: readInstallValues(given), namespace: namespaceOf(flags, host), version: host.version };
}

function readValues(file: string): JsonObject {
  const documents = readYaml(readText(file), { dialect: 'kubernetes', file: inputName(file), duplicates: 'error' });
  const [{ value } = { value: null }] = documents;
  if (documents.length > 1)
    throw new Fault('VALUE_INVALID', 'a file of values is one YAML document', { where: inputName(file) });
  if (value === null) return {};
  if (!isObject(value)) throw new Fault('VALUE_INVALID', 'values are names with values', { where: inputName(file) });
  return value;
}

/** Later files win, key by key, as with Helm. */
function over(below: JsonObject, above: JsonObject): JsonObject {
  const merged: JsonObject = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = own(below, name);
    put(
      merged,
      name,
      value !== undefined && isObject(value) && before !== undefined && isObject(before)
        ? over(before, value)
        : (value ?? null),
    );
  }
  return merged;
}
