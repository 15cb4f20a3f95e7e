import { readFile } from 'node:fs/promises';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, own, put, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { readEnvFile } from './env-file.js';
import { SECRETS } from '../../model/resources/index.js';

export interface LoadFlags {
  readonly envFile: string;
  readonly namespace?: string;
  /** `NAME=KEY:VARIABLE[,KEY:VARIABLE]` */
  readonly secret: readonly string[];
  /** `NAMESPACE/NAME` of the object that knows what the file does not; `none` for the file alone. */
  readonly gitea: string;
}

/** What is made where nobody says otherwise: what builds clone with. */
const DEFAULT = 'gitea-credentials-source=username:GITEA_USER,password:GITEA_PASSWORD';
/** Fields of a Gitea object by the variable that they stand in for. */
const GITEA_FIELDS: Readonly<Record<string, readonly ['spec' | 'status', string]>> = {
  GITEA_USER: ['spec', 'giteaAdminUser'],
  GITEA_PASSWORD: ['status', 'adminPassword'],
};

/** `--gitea none`: the file alone counts. */
const NO_GITEA = 'none';

interface SecretRequest {
  readonly name: string;
  readonly keys: readonly (readonly [key: string, variable: string])[];
}

/**
 * Makes Secrets of a file of variables. The user and the password of Gitea's administrator are those that the Gitea
 * object has, where there is one. Tells names, never values.
 */
export async function loadSecrets(cluster: Cluster, flags: LoadFlags, tell: (line: string) => void): Promise<void> {
  const namespace = flags.namespace ?? cluster.namespace;
  const wanted = (flags.secret.length === 0 ? [DEFAULT] : flags.secret).map(parseSecretRequest);
  const values = readEnvFile(await readText(flags.envFile), flags.envFile);
  for (const line of await addFromGitea(cluster, flags.gitea, values, wanted)) tell(line);
  const missing = wanted
    .flatMap(({ keys }) => keys.map(([, variable]) => variable))
    .filter((variable) => (values.get(variable) ?? '') === '');
  if (missing.length > 0)
    throw new Fault(
      'VALUE_INVALID',
      `${[...new Set(missing)].join(', ')} ${missing.length === 1 ? 'has' : 'have'} no value: add it to the ` +
        'file, or name a Gitea object that knows it with --gitea',
      { where: flags.envFile },
    );
  for (const { name, keys } of wanted) {
    const data: JsonObject = {};
    for (const [key, variable] of keys)
      put(data, key, Buffer.from(values.get(variable) ?? '', 'utf8').toString('base64'));
    tell(`secret/${name} ${await write(cluster, namespace, name, data)} (${keys.map(([key]) => key).join(', ')})`);
  }
}

function parseSecretRequest(text: string): SecretRequest {
  const [, name, list = ''] =
    /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?)=(.+)$/.exec(text)?.filter((_, index) => index !== 2) ?? [];
  const keys = list
    .split(',')
    .map((pair) => /^([A-Za-z0-9._-]+):([A-Za-z_][A-Za-z0-9_]*)$/.exec(pair.trim()))
    .flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? ''] as const]));
  if (name === undefined || keys.length !== list.split(',').length)
    throw new Fault('VALUE_INVALID', `"${text}" does not name a Secret: write NAME=KEY:VARIABLE, as in ${DEFAULT}`, {
      where: '--secret',
    });
  return { name, keys };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Fault('FILE_UNREADABLE', 'the file cannot be read', { where: file, cause });
  }
}

/** Puts in what the object knows better than the file, and tells of it. */
async function addFromGitea(
  cluster: Cluster,
  place: string,
  values: Map<string, string>,
  wanted: readonly SecretRequest[],
): Promise<string[]> {
  const asked = [...new Set(wanted.flatMap(({ keys }) => keys.map(([, variable]) => variable)))].filter((variable) =>
    Object.hasOwn(GITEA_FIELDS, variable),
  );
  if (asked.length === 0 || place === NO_GITEA) return [];
  const gitea = await readGitea(
    cluster,
    place,
    asked.every((variable) => (values.get(variable) ?? '') !== ''),
  );
  if (gitea === undefined) {
    const said = asked.filter((variable) => (values.get(variable) ?? '') !== '');
    return said.length === 0 ? [] : [`Gitea ${place} was not found: ${said.join(', ')} as the file has it`];
  }
  // Of another user than its administrator the object knows nothing.
  const isAdmin = ['', gitea.get('GITEA_USER')].includes(values.get('GITEA_USER') ?? '');
  if (isAdmin && asked.includes('GITEA_PASSWORD') && !gitea.has('GITEA_PASSWORD'))
    throw new Fault(
      'VALUE_INVALID',
      'it has no status.adminPassword yet, and the password of the file may be that of an earlier installation: run ' +
        `this again when Gitea is ready, or use the file as it is with --gitea ${NO_GITEA}`,
      { where: `Gitea ${place}` },
    );
  return asked.flatMap((variable) => {
    const [said = '', known] = [values.get(variable), gitea.get(variable)];
    if (known === undefined || said === known || (said !== '' && !isAdmin)) return [];
    values.set(variable, known);
    return [
      said === ''
        ? `${variable} is read from Gitea ${place}`
        : `${variable} of the file is not what Gitea ${place} has: that of Gitea is used`,
    ];
  });
}

/**
 * What the object says, by the variable; undefined where there is none. `isExtra`: the file would do, so whoever may
 * not read it goes on.
 */
async function readGitea(
  cluster: Cluster,
  place: string,
  isExtra: boolean,
): Promise<ReadonlyMap<string, string> | undefined> {
  const [namespace = '', name = ''] = place.split('/');
  const { kinds } = await cluster.discover();
  const kind = kinds.find((each) => each.kind === 'Gitea');
  if (name === '' || kind === undefined) return undefined;
  try {
    const gitea = await cluster.get(kind, { namespace, name });
    if (gitea === undefined) return undefined;
    return new Map(
      Object.entries(GITEA_FIELDS).flatMap(([variable, [part, field]]) => {
        const fields = own(gitea, part);
        const value = isObject(fields) ? own(fields, field) : undefined;
        return typeof value === 'string' && value !== '' ? [[variable, value] as const] : [];
      }),
    );
  } catch (error) {
    if (isExtra && error instanceof ClusterError && error.status === 403) return undefined;
    throw error;
  }
}

async function write(cluster: Cluster, namespace: string, name: string, data: JsonObject): Promise<string> {
  const live = await cluster.get(SECRETS, { namespace, name });
  if (live === undefined) {
    await cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      type: 'Opaque',
      data,
    });
    return 'created';
  }
  if (isSame(live, data)) return 'unchanged';
  await cluster.patch(
    SECRETS,
    { namespace, name },
    { type: 'merge', body: { metadata: { resourceVersion: live.metadata.resourceVersion ?? '' }, data } },
  );
  return 'configured';
}

function isSame({ data: live }: KubeObject, data: JsonObject): boolean {
  return isObject(live) && Object.keys(data).every((key) => own(live, key) === own(data, key));
}
