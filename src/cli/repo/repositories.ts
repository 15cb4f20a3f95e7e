import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { fnv1a, normalizeUrl } from '../../model/formats/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { Json, JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  maskUrl,
  openSources,
  readRepositoryRegistry,
  type RepositoryRegistry,
  type RepositoryEntry,
  type Sources,
} from '../../source/index.js';
import { commandRepositories } from '../command/index.js';
import type { AppSession } from '../session/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { SECRETS } from '../../model/resources/index.js';

const SECRET_TYPE = 'argocd.argoproj.io/secret-type';
const CONCURRENCY = 8;

interface KnownRepository {
  readonly entry: RepositoryEntry;
  readonly isInherited: boolean;
  readonly status: 'Successful' | 'Failed';
  readonly message: string;
}

async function readSecrets({ cluster, controlNamespace }: AppSession): Promise<KubeObject[]> {
  return (
    await cluster.list(SECRETS, {
      namespace: controlNamespace,
      labelSelector: `${SECRET_TYPE} in (repository, repo-creds)`,
    })
  ).items;
}

/** Every repository is asked, as Argo CD does: what the Secret says may be right no longer. */
export async function listRepositories(session: AppSession, output: string): Promise<string> {
  const book = readRepositoryRegistry(await readSecrets(session));
  if (output === 'url') return book.repositories.map(({ url }) => `${maskUrl(url)}\n`).join('');
  const known = await checkConnections(session, book, book.repositories);
  return print(known, output);
}

export async function getRepository(
  session: AppSession,
  url: string,
  { output, project = '' }: { readonly output: string; readonly project?: string },
): Promise<string> {
  const book = readRepositoryRegistry(await readSecrets(session));
  const entry = findEntry(book, url, project);
  if (output === 'url') return `${maskUrl(entry.url)}\n`;
  return print(await checkConnections(session, book, [entry]), output === 'wide' ? 'wide' : output, true);
}

function findEntry(book: RepositoryRegistry, url: string, project: string): RepositoryEntry {
  const found = book.repositories.find(
    (entry) => normalizeUrl(entry.url) === normalizeUrl(url) && (project === '' || entry.project === project),
  );
  if (found === undefined)
    throw new Fault(
      'NAME_UNKNOWN',
      `repository '${maskUrl(url)}' is not configured${project === '' ? '' : ` for project '${project}'`}`,
    );
  return found;
}

function print(known: readonly KnownRepository[], output: string, isOne = false): string {
  const plain = known.map(
    ({ entry, isInherited, status, message }): JsonObject => ({
      repo: maskUrl(entry.url),
      type: typeOf(entry),
      ...(entry.name === '' ? {} : { name: entry.name }),
      ...(entry.project === '' ? {} : { project: entry.project }),
      ...(entry.access.insecure === true ? { insecure: true } : {}),
      ...(entry.access.enableOci === true ? { enableOCI: true } : {}),
      ...(isInherited ? { inheritedCreds: true } : {}),
      connectionState: { status, message },
    }),
  );
  const shown: Json = isOne ? (plain[0] ?? {}) : plain;
  if (output === 'json') return prettyJson(shown);
  if (output === 'yaml') return writeYaml(shown);
  return formatTable(
    ['TYPE', 'NAME', 'REPO', 'INSECURE', 'OCI', 'LFS', 'CREDS', 'STATUS', 'MESSAGE', 'PROJECT'],
    known.map(({ entry, isInherited, status, message }) => [
      typeOf(entry),
      entry.name,
      maskUrl(entry.url),
      String(entry.access.insecure === true),
      String(entry.access.enableOci === true),
      'false',
      isInherited ? 'inherited' : String(hasOwnCredentials(entry)),
      status,
      message,
      entry.project,
    ]),
  );
}

const typeOf = ({ access }: RepositoryEntry): string => access.type ?? 'git';

function hasOwnCredentials({ access }: RepositoryEntry): boolean {
  return (
    access.username !== undefined ||
    access.password !== undefined ||
    access.bearerToken !== undefined ||
    access.sshPrivateKey !== undefined ||
    access.clientCertificate !== undefined ||
    access.githubApp !== undefined
  );
}

async function checkConnections(
  { host }: AppSession,
  book: RepositoryRegistry,
  entries: readonly RepositoryEntry[],
): Promise<KnownRepository[]> {
  const data = mkdtempSync(join(tmpdir(), 'argosy-repo-'));
  const sources = await openSources({
    data,
    clock: systemClock,
    random: Math.random,
    environment: host.environment,
    report: () => undefined,
    ...commandRepositories(host),
    accessTo: (url, project) => book.access(url, project),
  });
  try {
    const known: KnownRepository[] = [];
    const rest = [...entries.entries()];
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (let next = rest.shift(); next !== undefined; next = rest.shift())
          known[next[0]] = await checkConnection(sources, book, next[1]);
      }),
    );
    return known;
  } finally {
    await sources.close();
    rmSync(data, { recursive: true, force: true });
  }
}

async function checkConnection(
  sources: Sources,
  book: RepositoryRegistry,
  entry: RepositoryEntry,
): Promise<KnownRepository> {
  const access = book.access(entry.url, entry.project);
  const isInherited = !hasOwnCredentials(entry) && hasOwnCredentials({ ...entry, access });
  try {
    if (typeOf(entry) === 'git') await sources.refs({ url: entry.url, project: entry.project }, { maxAge: 0 });
    else if (typeOf(entry) === 'helm' && entry.access.enableOci !== true)
      await sources.fetchFile({ url: `${entry.url.replace(/(?<!\/)\/+$/, '')}/index.yaml`, project: entry.project });
    else return { entry, isInherited, status: 'Successful', message: '' };
    return { entry, isInherited, status: 'Successful', message: '' };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { entry, isInherited, status: 'Failed', message: error.message };
  }
}

export interface AddFlags {
  readonly type: string;
  readonly name?: string;
  readonly project?: string;
  readonly username?: string;
  readonly password?: string;
  readonly passwordStdin?: boolean;
  readonly bearerToken?: string;
  readonly sshPrivateKeyPath?: string;
  readonly tlsClientCertPath?: string;
  readonly tlsClientCertKeyPath?: string;
  readonly githubAppId?: string;
  readonly githubAppInstallationId?: string;
  readonly githubAppPrivateKeyPath?: string;
  readonly githubAppEnterpriseBaseUrl?: string;
  readonly insecureSkipServerVerification?: boolean;
  readonly insecureIgnoreHostKey?: boolean;
  readonly insecureOciForceHttp?: boolean;
  readonly enableOci?: boolean;
  readonly enableLfs?: boolean;
  readonly forceHttpBasicAuth?: boolean;
  readonly proxy?: string;
  readonly noProxy?: string;
  readonly depth?: string;
  readonly upsert?: boolean;
}

/** Writes the Secret after the repository has answered with what it holds. */
export async function addRepository(session: AppSession, url: string, flags: AddFlags): Promise<string> {
  if (flags.type === 'helm' && (flags.name ?? '') === '')
    throw new Fault('USAGE', "Must specify --name for repos of type 'helm'");
  const { cluster, controlNamespace } = session;
  const name = `repo-${fnv1a(url + (flags.project ?? ''))}`;
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: controlNamespace,
      labels: { [SECRET_TYPE]: 'repository' },
      annotations: { 'managed-by': 'argocd.argoproj.io' },
    },
    data: Object.fromEntries(
      Object.entries(fieldsOf(url, flags)).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    ),
  };
  const others = (await readSecrets(session)).filter(({ metadata }) => metadata.name !== name);
  const book = readRepositoryRegistry([...others, secret]);
  const entry = book.repositories.find((each) => each.secret === name);
  const [known] = entry === undefined ? [] : await checkConnections(session, book, [entry]);
  if (known === undefined || known.status === 'Failed')
    throw new Fault('SOURCE_REFUSED', known?.message ?? 'the address is missing', { where: maskUrl(url) });
  const before = await cluster.get(SECRETS, { namespace: controlNamespace, name });
  if (before !== undefined && flags.upsert !== true && JSON.stringify(before.data) !== JSON.stringify(secret.data))
    throw new Fault('VALUE_INVALID', 'existing repository spec is different; use upsert flag to force update', {
      where: maskUrl(url),
    });
  if (before === undefined) await cluster.create(SECRETS, secret);
  else await cluster.update(SECRETS, { ...before, data: secret.data });
  return `Repository '${maskUrl(url)}' added\n`;
}

function fieldsOf(url: string, flags: AddFlags): Record<string, string> {
  const given: Record<string, string | undefined> = {
    type: flags.type,
    url,
    name: flags.name,
    project: flags.project,
    username: flags.username,
    password: flags.passwordStdin === true ? readFileSync(0, 'utf8').trim() : flags.password,
    bearerToken: flags.bearerToken,
    sshPrivateKey: contentOf(flags.sshPrivateKeyPath),
    tlsClientCertData: contentOf(flags.tlsClientCertPath),
    tlsClientCertKey: contentOf(flags.tlsClientCertKeyPath),
    githubAppID: flags.githubAppId,
    githubAppInstallationID: flags.githubAppInstallationId,
    githubAppPrivateKey: contentOf(flags.githubAppPrivateKeyPath),
    githubAppEnterpriseBaseUrl: flags.githubAppEnterpriseBaseUrl,
    insecure:
      flags.insecureSkipServerVerification === true || flags.insecureIgnoreHostKey === true ? 'true' : undefined,
    insecureOCIForceHttp: flags.insecureOciForceHttp === true ? 'true' : undefined,
    enableOCI: flags.enableOci === true ? 'true' : undefined,
    enableLfs: flags.enableLfs === true ? 'true' : undefined,
    forceHttpBasicAuth: flags.forceHttpBasicAuth === true ? 'true' : undefined,
    proxy: flags.proxy,
    noProxy: flags.noProxy,
    depth: flags.depth,
  };
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}

function contentOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Fault('FILE_UNREADABLE', error instanceof Error ? error.message : String(error), {
      where: path,
      cause: error,
    });
  }
}

export async function removeRepositories(
  session: AppSession,
  urls: readonly string[],
  project: string,
): Promise<string> {
  const { cluster, controlNamespace } = session;
  let told = '';
  for (const url of urls) {
    const name = findEntry(readRepositoryRegistry(await readSecrets(session)), url, project).secret;
    const secret = await cluster.get(SECRETS, { namespace: controlNamespace, name });
    if (secret !== undefined)
      await cluster.remove(
        SECRETS,
        { namespace: controlNamespace, name },
        { uid: secret.metadata.uid ?? '', propagation: 'Background' },
      );
    told += `Repository '${maskUrl(url)}' removed\n`;
  }
  return told;
}
