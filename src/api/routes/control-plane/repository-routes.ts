import { createHash } from 'node:crypto';
import { type RepositoryEntry } from '../../../control/index.js';
import { isObject, own, type JsonObject } from '../../../model/json/index.js';
import { normalizeUrl } from '../../../model/formats/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { REPOSITORY, REPOSITORY_SECRET } from '../../access/index.js';
import { json, ApiError, type Answer } from '../../http/index.js';
import {
  route,
  type Context,
  type Input,
  type ReadServices,
  type Route,
  fields,
  flag,
  text,
  integer,
  type Values,
} from '../../route/index.js';
import { SECRETS } from '../../../model/resources/index.js';

export const TAG = 'repositories';

/** What is no secret of it. */
function entryView({
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

function credentialsView({ url, access: { type, username, githubApp } }: RepositoryEntry): JsonObject {
  return {
    url,
    ...(username === undefined ? {} : { username }),
    ...(type === undefined ? {} : { type }),
    ...(githubApp === undefined ? {} : { githubAppID: githubApp.id, githubAppInstallationID: githubApp.installation }),
  };
}

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
};
const REPOSITORY_BODY = fields(REPOSITORY_FIELDS);

interface Named {
  readonly url: string;
  readonly project: string;
}

/** As it is written: `repo` where both are given. */
const inBody = ({ body }: Input): Named => {
  const { repo, url = '', project = '' } = body as { repo?: string; url?: string; project?: string };
  return { url: (repo ?? url).trim(), project };
};

/** The Secret that keeps it, with the keys that Argo CD gives it. */
export function secretOf(
  given: Values<typeof REPOSITORY_FIELDS>,
  type: 'repository' | 'repo-creds',
  { namespace, repositories }: Pick<ReadServices, 'namespace' | 'repositories'>,
): KubeObject {
  const url = (given.repo ?? given.url ?? '').trim();
  if (url === '') throw new ApiError('InvalidArgument', 'the repository URL is missing');
  const { repo: _r, url: _u, ...rest } = given;
  const stringData = Object.fromEntries([
    ['url', url],
    ...Object.entries(rest)
      .filter(([, value]) => value !== undefined && value !== '' && value !== false && value !== 0)
      .map(([key, value]) => [key, String(value)]),
  ]) as Record<string, string>;
  // Whoever wrote it by hand gave it a name of their own.
  const known = (type === 'repository' ? repositories.entries : repositories.templates).find(
    (entry) => normalizeUrl(entry.url) === normalizeUrl(url) && entry.project === (given.project ?? ''),
  );
  const name =
    known?.secret ??
    `${type === 'repository' ? 'repo' : 'creds'}-${createHash('sha256')
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

/**
 * What a request names, where the right is to the one that was found, whatever the request says of its project. Others
 * do not learn whether it is there.
 */
const entryAccess = (kind: 'entries' | 'templates', action: 'get' | 'update' | 'delete') =>
  ({
    kind: REPOSITORY,
    action,
    find: (input: Input, services: ReadServices): RepositoryEntry | undefined => {
      const { url, project } = inRequest(input);
      const fits = services.repositories[kind].filter(
        (entry) => normalizeUrl(entry.url) === normalizeUrl(url) && (project === '' || entry.project === project),
      );
      return fits.find((entry) => entry.project === project) ?? fits[0];
    },
    named: (input: Input): RepositoryEntry => ({ ...inRequest(input), name: '', secret: '', access: {} }),
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
function replacedData(wanted: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys({ ...REPOSITORY_FIELDS, url: true })
      .filter((key) => key !== 'repo')
      .map((key) => {
        const value = own(wanted, key);
        return [key, typeof value === 'string' ? Buffer.from(value).toString('base64') : null];
      }),
  );
}

async function save(
  { services, authoriser }: Pick<Context, 'services' | 'authoriser'>,
  secret: KubeObject,
  mayReplace: boolean,
): Promise<void> {
  const existing = await secretOfEntry(services, secret.metadata.name ?? '');
  if (existing === undefined) {
    await authoriser.create(REPOSITORY_SECRET, secret);
    return;
  }
  authoriser.mustFound(REPOSITORY_SECRET, mayReplace ? 'update' : 'get', existing);
  if (!mayReplace)
    throw new ApiError('InvalidArgument', 'existing repository spec is different; use upsert flag to force update');
  const data = {
    ...(isObject(existing.data) ? existing.data : {}),
    ...replacedData(isObject(secret.stringData) ? secret.stringData : {}),
  };
  await authoriser.update(REPOSITORY_SECRET, existing, {
    ...existing,
    data: Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)),
  });
}

function secretOfEntry({ cluster, namespace }: ReadServices, name: string): Promise<KubeObject | undefined> {
  return cluster.get(SECRETS, { namespace, name });
}

interface Addition {
  readonly body: Values<typeof REPOSITORY_FIELDS>;
  readonly object: Named;
  readonly query: { readonly upsert?: boolean | undefined };
}

/** Stores what a body has: a repository, which is tried first, or what opens all repositories below an address. */
async function add(
  context: Pick<Context, 'services' | 'authoriser'> & Addition,
  type: 'repository' | 'repo-creds',
): Promise<void> {
  const { body, object, services, authoriser, query } = context;
  const mayReplace = query.upsert === true;
  if (mayReplace) authoriser.must(REPOSITORY, 'update', object);
  const secret = secretOf(body, type, services);
  if (type === 'repository') await services.repositories.check(secret);
  await save(context, secret, mayReplace);
}

async function remove({
  services,
  authoriser,
  object: { secret },
}: Pick<Context, 'services' | 'authoriser'> & { readonly object: RepositoryEntry }): Promise<Answer> {
  const existing = await secretOfEntry(services, secret);
  if (existing !== undefined) await authoriser.remove(REPOSITORY_SECRET, existing);
  return json({});
}

export const REPOSITORY_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/repositories', {
    summary: 'List the repositories that the caller may see, without credentials.',
    tag: TAG,
    access: { each: REPOSITORY, action: 'get' },
    query: { repo: text(), forceRefresh: flag(), appProject: text() },
    handle: ({ services, authoriser }) =>
      json({ metadata: {}, items: authoriser.visible(REPOSITORY, services.repositories.entries).map(entryView) }),
  }),
  route('POST', '/api/v1/repositories', {
    summary: 'Add a repository with its credentials.',
    tag: TAG,
    access: { kind: REPOSITORY, action: 'create', describe: inBody },
    query: { upsert: flag(), credsOnly: flag() },
    body: REPOSITORY_BODY,
    handle: async (context) => {
      await add(context, 'repository');
      const { body } = context;
      return json({
        repo: body.repo ?? '',
        type: body.type ?? 'git',
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.project === undefined ? {} : { project: body.project }),
        connectionState: { status: 'Successful', message: '', attemptedAt: null },
      });
    },
  }),
  route('GET', '/api/v1/repositories/{repo}', {
    summary: 'A repository with its connection status.',
    tag: TAG,
    access: entryAccess('entries', 'get'),
    query: { forceRefresh: flag(), appProject: text() },
    handle: async ({ object, services }) =>
      json({ ...entryView(object), connectionState: await services.repositories.connectionState(object) }),
  }),
  route('PUT', '/api/v1/repositories/{repo}', {
    summary: 'Update the credentials of a repository.',
    tag: TAG,
    access: entryAccess('entries', 'update'),
    query: { appProject: text() },
    body: REPOSITORY_BODY,
    handle: async (context) => {
      const {
        services,
        authoriser,
        body,
        object,
        path: { repo },
      } = context;
      const secret = secretOf({ ...body, repo, project: body.project ?? object.project }, 'repository', services);
      const before = await secretOfEntry(services, object.secret);
      // Who gives it to another project must be allowed to there, too.
      if (before !== undefined) authoriser.mustChange(REPOSITORY_SECRET, 'update', before, secret);
      await save(context, { ...secret, metadata: { ...secret.metadata, name: object.secret } }, true);
      return json({ repo, type: body.type ?? 'git' });
    },
  }),
  route('DELETE', '/api/v1/repositories/{repo}', {
    summary: 'Remove a repository from the configuration.',
    tag: TAG,
    access: entryAccess('entries', 'delete'),
    query: { appProject: text(), forceRefresh: flag() },
    handle: remove,
  }),
  route('GET', '/api/v1/repositories/{repo}/refs', {
    summary: 'Branches and tags of a repository.',
    tag: TAG,
    access: entryAccess('entries', 'get'),
    query: { appProject: text(), forceRefresh: flag() },
    handle: async ({ object, services }) => json(await services.repositories.refsOf(object)),
  }),
  route('GET', '/api/v1/repocreds', {
    summary: 'List the credential templates, without secrets.',
    tag: TAG,
    access: { each: REPOSITORY, action: 'get' },
    query: { url: text() },
    handle: ({ services, authoriser }) =>
      json({
        metadata: {},
        items: authoriser.visible(REPOSITORY, services.repositories.templates).map(credentialsView),
      }),
  }),
  route('POST', '/api/v1/repocreds', {
    summary: 'Add a credential template for all repositories with a URL prefix.',
    tag: TAG,
    access: { kind: REPOSITORY, action: 'create', describe: inBody },
    query: { upsert: flag() },
    body: REPOSITORY_BODY,
    handle: async (context) => {
      await add(context, 'repo-creds');
      const { body } = context;
      return json({ url: body.url ?? body.repo ?? '', ...(body.type === undefined ? {} : { type: body.type }) });
    },
  }),
  route('DELETE', '/api/v1/repocreds/{url}', {
    summary: 'Remove a credential template.',
    tag: TAG,
    access: entryAccess('templates', 'delete'),
    handle: remove,
  }),
];
