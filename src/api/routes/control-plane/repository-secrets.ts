import { createHash } from 'node:crypto';
import type { RepositoryEntry, RepositorySecretType } from '../../../control/index.js';
import { normalizeUrl } from '../../../model/formats/index.js';
import { isObject, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { SECRETS } from '../../../model/resources/index.js';
import { REPOSITORY, REPOSITORY_SECRET, WRITE_REPOSITORY, WRITE_REPOSITORY_SECRET } from '../../access/index.js';
import { ApiError, json, type Answer } from '../../http/index.js';
import {
  fields,
  flag,
  integer,
  text,
  type Context,
  type Input,
  type ReadServices,
  type Values,
} from '../../route/index.js';

export const TAG = 'repositories';

export const REPOSITORY_FIELDS = {
  repo: text(),
  url: text(),
  username: text(),
  password: text(),
  sshPrivateKey: text(),
  insecure: flag(),
  insecureIgnoreHostKey: flag(),
  enableLfs: flag(),
  tlsClientCertData: text(),
  tlsClientCertKey: text(),
  type: text(),
  name: text(),
  enableOCI: flag(),
  insecureOCIForceHttp: flag(),
  githubAppPrivateKey: text(),
  githubAppID: integer(),
  githubAppInstallationID: integer(),
  githubAppEnterpriseBaseUrl: text(),
  proxy: text(),
  noProxy: text(),
  project: text(),
  bearerToken: text(),
  forceHttpBasicAuth: flag(),
  depth: integer(),
  gcpServiceAccountKey: text(),
  useAzureWorkloadIdentity: flag(),
  azureServicePrincipalClientId: text(),
  azureServicePrincipalClientSecret: text(),
  azureServicePrincipalTenantId: text(),
  azureActiveDirectoryEndpoint: text(),
  webhookManifestCacheWarmDisabled: flag(),
};
export const REPOSITORY_BODY = fields(REPOSITORY_FIELDS);
export type RepositoryFields = Values<typeof REPOSITORY_FIELDS>;

/** What names a Secret of each type, and the right to it. */
const TYPES: Readonly<
  Record<
    RepositorySecretType,
    {
      readonly prefix: string;
      /** As errors call it. */
      readonly what: string;
      readonly kind: typeof REPOSITORY;
      readonly stored: typeof REPOSITORY_SECRET;
    }
  >
> = {
  repository: { prefix: 'repo', what: 'repository', kind: REPOSITORY, stored: REPOSITORY_SECRET },
  'repo-creds': { prefix: 'creds', what: 'repository credentials', kind: REPOSITORY, stored: REPOSITORY_SECRET },
  'repository-write': {
    prefix: 'repo-write',
    what: 'write repository',
    kind: WRITE_REPOSITORY,
    stored: WRITE_REPOSITORY_SECRET,
  },
  'repo-write-creds': {
    prefix: 'creds-write',
    what: 'repository credentials',
    kind: WRITE_REPOSITORY,
    stored: WRITE_REPOSITORY_SECRET,
  },
};

/** What is no secret of it. */
export function entryView({
  url,
  name,
  project,
  access: { type = 'git', username, insecure, enableOci, proxy, noProxy, githubApp, depth },
}: RepositoryEntry): JsonObject {
  return {
    repo: url,
    ...(username === undefined ? {} : { username }),
    connectionState: { status: 'Unknown', message: '', attemptedAt: null },
    ...(insecure === true ? { insecure } : {}),
    type,
    ...(name === '' ? {} : { name }),
    ...(enableOci === true ? { enableOCI: true } : {}),
    ...(githubApp === undefined ? {} : { githubAppID: githubApp.id, githubAppInstallationID: githubApp.installation }),
    ...(proxy === undefined ? {} : { proxy: proxy.replace(/\/\/[^/@]*@/, '//') }),
    ...(noProxy === undefined ? {} : { noProxy }),
    ...(project === '' ? {} : { project }),
    ...(depth === undefined ? {} : { depth }),
  };
}

export function credentialsView({ url, access: { type, username, githubApp } }: RepositoryEntry): JsonObject {
  return {
    url,
    ...(username === undefined ? {} : { username }),
    ...(type === undefined ? {} : { type }),
    ...(githubApp === undefined ? {} : { githubAppID: githubApp.id, githubAppInstallationID: githubApp.installation }),
  };
}

export interface Named {
  readonly url: string;
  readonly project: string;
}

/** As it is written: `repo` where both are given. */
export const inBody = ({ body }: Input): Named => {
  const { repo, url = '', project = '' } = body as { repo?: string; url?: string; project?: string };
  return { url: (repo ?? url).trim(), project };
};

/** Templates spell a few keys in their own way. */
const TEMPLATE_KEYS: Readonly<Record<string, string>> = {
  azureServicePrincipalClientId: 'azureServicePrincipalClientID',
  azureServicePrincipalTenantId: 'azureServicePrincipalTenantID',
};

function keyOf(field: string, type: RepositorySecretType): string {
  return (type === 'repo-creds' || type === 'repo-write-creds' ? TEMPLATE_KEYS[field] : undefined) ?? field;
}

/** The Secret that keeps it, with the keys that Argo CD gives it. */
export function secretOf(
  given: RepositoryFields,
  type: RepositorySecretType,
  { namespace, repositories }: Pick<ReadServices, 'namespace' | 'repositories'>,
): KubeObject {
  const url = (given.repo ?? given.url ?? '').trim();
  if (url === '') throw new ApiError('InvalidArgument', 'the repository URL is missing');
  const { repo: _r, url: _u, ...rest } = given;
  const stringData = Object.fromEntries([
    ['url', url],
    ...Object.entries(rest)
      .filter(([, value]) => value !== undefined && value !== '' && value !== false && value !== 0)
      .map(([key, value]) => [keyOf(key, type), String(value)]),
  ]) as Record<string, string>;
  // Whoever wrote it by hand gave it a name of their own.
  const known = repositories
    .entriesOf(type)
    .find((entry) => normalizeUrl(entry.url) === normalizeUrl(url) && entry.project === (given.project ?? ''));
  const name =
    known?.secret ??
    `${TYPES[type].prefix}-${createHash('sha256')
      .update(`${given.project ?? ''} ${url}`)
      .digest('hex')
      .slice(0, 10)}`;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { 'argocd.argoproj.io/secret-type': type },
      annotations: { 'managed-by': 'argocd.argoproj.io' },
    },
    type: 'Opaque',
    stringData,
  };
}

/** The right to what a request names in its body, such as a new one. */
export const newAccess = (type: RepositorySecretType) =>
  ({ kind: TYPES[type].kind, action: 'create', describe: inBody }) as const;

/**
 * What a request names, where the right is to the one that was found, whatever the request says of its project. Others
 * do not learn whether it is there.
 */
export const entryAccess = (type: RepositorySecretType, action: 'get' | 'update' | 'delete') =>
  ({
    kind: TYPES[type].kind,
    action,
    find: (input: Input, services: ReadServices): RepositoryEntry | undefined => {
      const { url, project } = inRequest(input);
      const fits = services.repositories
        .entriesOf(type)
        .filter(
          (entry) => normalizeUrl(entry.url) === normalizeUrl(url) && (project === '' || entry.project === project),
        );
      return fits.find((entry) => entry.project === project) ?? fits[0];
    },
    named: (input: Input): RepositoryEntry => ({ ...inRequest(input), name: '', secret: '', access: {} }),
    absent: (input: Input): string => {
      const { url } = inRequest(input);
      return type === 'repo-creds' || type === 'repo-write-creds'
        ? `repository credentials '${url}' not found`
        : `${url} not found`;
    },
  }) as const;

/** `project`: the one that it must belong to; empty for any. */
function inRequest({ path, query, body }: Input): Named {
  const { project = '' } = (body ?? {}) as { project?: string };
  const { appProject = project } = query;
  return { url: path['repo'] ?? path['url'] ?? '', project: typeof appProject === 'string' ? appProject : '' };
}

/**
 * Every field that we know, those that were not given as gone: what is left of an older one would be mixed with the
 * new.
 */
function replacedData(wanted: JsonObject, type: RepositorySecretType): JsonObject {
  return Object.fromEntries(
    Object.keys({ ...REPOSITORY_FIELDS, url: true })
      .filter((field) => field !== 'repo')
      .map((field) => {
        const key = keyOf(field, type);
        const value = own(wanted, key);
        return [key, typeof value === 'string' ? Buffer.from(value).toString('base64') : null];
      }),
  );
}

type WriteContext = Pick<Context, 'services' | 'authoriser'>;

async function save(
  { services, authoriser }: WriteContext,
  secret: KubeObject,
  type: RepositorySecretType,
  mayReplace: boolean,
): Promise<void> {
  const { stored, what } = TYPES[type];
  const existing = await secretOfEntry(services, secret.metadata.name ?? '');
  if (existing === undefined) {
    await authoriser.create(stored, secret);
    return;
  }
  authoriser.mustFound(stored, mayReplace ? 'update' : 'get', existing);
  const before = isObject(existing.data) ? existing.data : {};
  const data = { ...before, ...replacedData(isObject(secret.stringData) ? secret.stringData : {}, type) };
  const after = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
  if (!mayReplace) {
    // Who adds the same once more has what they want.
    if (isSame(before, after)) return;
    const changed = Object.keys({ ...before, ...after })
      .filter((name) => own(before, name) !== own(after, name))
      .map((name) => GO_NAMES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    throw new ApiError(
      'InvalidArgument',
      `existing ${what} spec is different; use upsert flag to force update; difference in keys "${changed.join(',')}"`,
    );
  }
  await authoriser.update(stored, existing, { ...existing, data: after });
}

/** Fields that Argo CD's types call otherwise than its Secrets do. */
const GO_NAMES: Readonly<Record<string, string>> = {
  url: 'Repo',
  sshPrivateKey: 'SSHPrivateKey',
  tlsClientCertData: 'TLSClientCertData',
  tlsClientCertKey: 'TLSClientCertKey',
  enableLfs: 'EnableLFS',
  githubAppID: 'GithubAppId',
  githubAppInstallationID: 'GithubAppInstallationId',
  githubAppEnterpriseBaseUrl: 'GitHubAppEnterpriseBaseURL',
};

function isSame(before: JsonObject, after: JsonObject): boolean {
  const names = Object.keys({ ...before, ...after });
  return names.every((name) => own(before, name) === own(after, name));
}

function secretOfEntry({ cluster, namespace }: ReadServices, name: string): Promise<KubeObject | undefined> {
  return cluster.get(SECRETS, { namespace, name });
}

interface Addition {
  readonly body: RepositoryFields;
  readonly object: Named;
  readonly query: { readonly upsert?: boolean | undefined };
}

/** Stores what a body has: a repository, which is tried first, or what opens all repositories below an address. */
export async function add(context: WriteContext & Addition, type: RepositorySecretType): Promise<void> {
  const { body, object, services, authoriser, query } = context;
  const mayReplace = query.upsert === true;
  if (mayReplace) authoriser.must(TYPES[type].kind, 'update', object);
  const secret = secretOf(body, type, services);
  if (type === 'repository' || type === 'repository-write')
    await services.repositories.check(secretOf(body, 'repository', services));
  await save(context, secret, type, mayReplace);
}

/** Replaces what an entry opens its repository with. */
export async function replace(
  context: WriteContext & { readonly body: RepositoryFields; readonly object: RepositoryEntry },
  type: RepositorySecretType,
  url: string,
): Promise<void> {
  const { services, authoriser, body, object } = context;
  const secret = secretOf({ ...body, repo: url, project: body.project ?? object.project }, type, services);
  const before = await secretOfEntry(services, object.secret);
  // Who gives it to another project must be allowed to there, too.
  if (before !== undefined) authoriser.mustChange(TYPES[type].stored, 'update', before, secret);
  await save(context, { ...secret, metadata: { ...secret.metadata, name: object.secret } }, type, true);
}

export async function remove(
  { services, authoriser, object: { secret } }: WriteContext & { readonly object: RepositoryEntry },
  type: RepositorySecretType,
): Promise<Answer> {
  const existing = await secretOfEntry(services, secret);
  if (existing !== undefined) await authoriser.remove(TYPES[type].stored, existing);
  return json({});
}

/** What a repository says of itself to who stored it. */
export function storedView({ repo = '', type = 'git', name, project }: RepositoryFields): JsonObject {
  return {
    repo,
    type,
    ...(name === undefined ? {} : { name }),
    ...(project === undefined ? {} : { project }),
    connectionState: { status: 'Successful', message: '', attemptedAt: null },
  };
}
