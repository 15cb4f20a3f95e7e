import { createHash } from 'node:crypto';
import { type ControlServices, type RepositoryEntry } from '../../../control/index.js';
import { isObject, own, type JsonObject } from '../../../model/json/index.js';
import { normalizeUrl } from '../../../model/formats/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { json, ApiError } from '../../http/index.js';
import {
  route,
  type Context,
  type Input,
  type Route,
  fields,
  flag,
  text,
  integer,
  type Values,
} from '../../route/index.js';
import { SECRETS } from '../../../model/resources/index.js';

export const TAG = 'repositories';

/** In policies a repository of a project is `project/url`. */
function rbacName(url: string, project: string): string {
  return project === '' ? url : `${project}/${url}`;
}

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
const REPOSITORY = fields(REPOSITORY_FIELDS);

const inBody = ({ body }: Input): string => {
  const { repo = '', url = '', project = '' } = body as { repo?: string; url?: string; project?: string };
  return rbacName(repo || url, project);
};
const eachRepository = (action: EntryRequest['action']) =>
  ({ resource: 'repositories', action, object: 'each' }) as const;

/** The Secret that keeps it, with the keys that Argo CD gives it. */
export function secretOf(
  given: Values<typeof REPOSITORY_FIELDS>,
  type: 'repository' | 'repo-creds',
  { namespace, repositories }: Pick<ControlServices, 'namespace' | 'repositories'>,
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

interface EntryRequest {
  readonly kind: 'entries' | 'templates';
  readonly action: 'get' | 'update' | 'delete';
  readonly url: string;
  /** The project that it must belong to; empty for any. */
  readonly project: string;
}

/**
 * What a request names, where the right is to the one that was found, whatever the request says of its project. Others
 * do not learn whether it is there.
 */
function entryOf(
  { services, may }: Pick<Context, 'services' | 'may'>,
  { kind, action, url, project }: EntryRequest,
): RepositoryEntry {
  const fits = services.repositories[kind].filter(
    (entry) => normalizeUrl(entry.url) === normalizeUrl(url) && (project === '' || entry.project === project),
  );
  const found = fits.find((entry) => entry.project === project) ?? fits[0];
  if (!may('repositories', action, rbacName(found?.url ?? url, found?.project ?? project)))
    throw new ApiError('PermissionDenied', 'permission denied');
  if (found === undefined) throw new ApiError('NotFound', `repo '${url}' not found`);
  return found;
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

async function save(services: ControlServices, secret: KubeObject, mayReplace: boolean): Promise<void> {
  const id = { namespace: services.namespace, name: secret.metadata.name ?? '' };
  const existing = await services.cluster.get(SECRETS, id);
  if (existing === undefined) await services.cluster.create(SECRETS, secret);
  else if (!mayReplace)
    throw new ApiError('InvalidArgument', 'existing repository spec is different; use upsert flag to force update');
  else
    await services.cluster.patch(SECRETS, id, {
      type: 'merge',
      body: {
        metadata: { resourceVersion: existing.metadata.resourceVersion ?? '' },
        data: replacedData(isObject(secret.stringData) ? secret.stringData : {}),
      },
    });
}

async function removeRepository(services: ControlServices, { secret }: RepositoryEntry): Promise<void> {
  const id = { namespace: services.namespace, name: secret };
  const existing = await services.cluster.get(SECRETS, id);
  if (existing !== undefined) await services.cluster.remove(SECRETS, id, { uid: existing.metadata.uid ?? '' });
}

export const REPOSITORY_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/repositories', {
    summary: 'List the repositories that the caller may see, without credentials.',
    tag: TAG,
    access: { resource: 'repositories', action: 'get', object: 'each' },
    query: { repo: text(), forceRefresh: flag(), appProject: text() },
    handle: ({ services, may }) =>
      json({
        metadata: {},
        items: services.repositories.entries
          .filter(({ url, project }) => may('repositories', 'get', rbacName(url, project)))
          .map(entryView),
      }),
  }),
  route('POST', '/api/v1/repositories', {
    summary: 'Add a repository with its credentials.',
    tag: TAG,
    access: { resource: 'repositories', action: 'create', object: inBody },
    query: { upsert: flag(), credsOnly: flag() },
    body: REPOSITORY,
    handle: async ({ body, services, must, query: { upsert } }) => {
      if (upsert === true) must('repositories', 'update', rbacName(body.repo ?? '', body.project ?? ''));
      const secret = secretOf(body, 'repository', services);
      await services.repositories.check(secret);
      await save(services, secret, upsert === true);
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
    access: eachRepository('get'),
    query: { forceRefresh: flag(), appProject: text() },
    handle: async (context) => {
      const entry = entryOf(context, {
        kind: 'entries',
        action: 'get',
        url: context.path.repo,
        project: context.query.appProject ?? '',
      });
      return json({ ...entryView(entry), connectionState: await context.services.repositories.connectionState(entry) });
    },
  }),
  route('PUT', '/api/v1/repositories/{repo}', {
    summary: 'Update the credentials of a repository.',
    tag: TAG,
    access: eachRepository('update'),
    query: { appProject: text() },
    body: REPOSITORY,
    handle: async (context) => {
      const {
        services,
        must,
        body,
        path: { repo },
        query: { appProject },
      } = context;
      const entry = entryOf(context, {
        kind: 'entries',
        action: 'update',
        url: repo,
        project: appProject ?? body.project ?? '',
      });
      const project = body.project ?? entry.project;
      // Who gives it to another project must be allowed to there, too.
      if (project !== entry.project)
        for (const action of ['create', 'update']) must('repositories', action, rbacName(repo, project));
      const secret = secretOf({ ...body, repo, project }, 'repository', services);
      await save(services, { ...secret, metadata: { ...secret.metadata, name: entry.secret } }, true);
      return json({ repo, type: body.type ?? 'git' });
    },
  }),
  route('DELETE', '/api/v1/repositories/{repo}', {
    summary: 'Remove a repository from the configuration.',
    tag: TAG,
    access: eachRepository('delete'),
    query: { appProject: text(), forceRefresh: flag() },
    handle: async (context) => {
      await removeRepository(
        context.services,
        entryOf(context, {
          kind: 'entries',
          action: 'delete',
          url: context.path.repo,
          project: context.query.appProject ?? '',
        }),
      );
      return json({});
    },
  }),
  route('GET', '/api/v1/repositories/{repo}/refs', {
    summary: 'Branches and tags of a repository.',
    tag: TAG,
    access: eachRepository('get'),
    query: { appProject: text(), forceRefresh: flag() },
    handle: async (context) =>
      json(
        await context.services.repositories.refsOf(
          entryOf(context, {
            kind: 'entries',
            action: 'get',
            url: context.path.repo,
            project: context.query.appProject ?? '',
          }),
        ),
      ),
  }),
  route('GET', '/api/v1/repocreds', {
    summary: 'List the credential templates, without secrets.',
    tag: TAG,
    access: { resource: 'repositories', action: 'get', object: 'each' },
    query: { url: text() },
    handle: ({ services, may }) =>
      json({
        metadata: {},
        items: services.repositories.templates
          .filter(({ url, project }) => may('repositories', 'get', rbacName(url, project)))
          .map(credentialsView),
      }),
  }),
  route('POST', '/api/v1/repocreds', {
    summary: 'Add a credential template for all repositories with a URL prefix.',
    tag: TAG,
    access: { resource: 'repositories', action: 'create', object: inBody },
    query: { upsert: flag() },
    body: REPOSITORY,
    handle: async ({ body, services, must, query: { upsert } }) => {
      if (upsert === true) must('repositories', 'update', body.url ?? '');
      await save(services, secretOf(body, 'repo-creds', services), upsert === true);
      return json({ url: body.url ?? body.repo ?? '', ...(body.type === undefined ? {} : { type: body.type }) });
    },
  }),
  route('DELETE', '/api/v1/repocreds/{url}', {
    summary: 'Remove a credential template.',
    tag: TAG,
    access: eachRepository('delete'),
    handle: async (context) => {
      await removeRepository(
        context.services,
        entryOf(context, { kind: 'templates', action: 'delete', url: context.path.url, project: '' }),
      );
      return json({});
    },
  }),
];
