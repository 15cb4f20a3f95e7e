import { WRITE_REPOSITORY } from '../../access/index.js';
import { ApiError, json } from '../../http/index.js';
import { flag, route, text, type Input, type ReadServices, type Route } from '../../route/index.js';
import { checkGiven, namedInPath, VALIDATE_PARAMETERS } from './repository-content-routes.js';
import {
  add,
  entryAccess,
  entryView,
  newAccess,
  remove,
  replace,
  REPOSITORY_BODY,
  storedView,
  TAG,
} from './repository-secrets.js';

const TYPE = 'repository-write';

/** Only a hydrator writes, so only with one there are credentials for it. */
function mustHydrate({ settings }: ReadServices): void {
  if (!settings.current.isHydratorEnabled)
    throw new ApiError('Unimplemented', 'hydrator is disabled: hydrator.enabled is not true in argocd-cmd-params-cm');
}

const CREDENTIALS = [
  'password',
  'sshPrivateKey',
  'bearerToken',
  'githubAppPrivateKey',
  'gcpServiceAccountKey',
] as const;

/** Repositories with credentials to write. */
export const WRITE_REPOSITORY_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/write-repositories', {
    summary: 'List the repositories that a hydrator may write to, without credentials.',
    tag: TAG,
    access: { each: WRITE_REPOSITORY, action: 'get' },
    query: { repo: text(), forceRefresh: flag(), appProject: text() },
    handle: ({ services, authoriser }) => {
      mustHydrate(services);
      const items = authoriser.visible(WRITE_REPOSITORY, services.repositories.entriesOf(TYPE)).map(entryView);
      return json({ metadata: {}, items });
    },
  }),
  route('POST', '/api/v1/write-repositories', {
    summary: 'Add a repository with credentials to write to it.',
    tag: TAG,
    access: newAccess(TYPE),
    query: { upsert: flag(), credsOnly: flag() },
    body: REPOSITORY_BODY,
    handle: async (context) => {
      const { body, services } = context;
      mustHydrate(services);
      if (CREDENTIALS.every((name) => (body[name] ?? '') === ''))
        throw new ApiError('InvalidArgument', 'missing credentials in request');
      await add(context, TYPE);
      return json(storedView(body));
    },
  }),
  route('GET', '/api/v1/write-repositories/{repo}', {
    summary: 'A repository that a hydrator may write to.',
    tag: TAG,
    access: entryAccess(TYPE, 'get'),
    query: { forceRefresh: flag(), appProject: text() },
    handle: ({ object, services }) => {
      mustHydrate(services);
      return json(entryView(object));
    },
  }),
  route('PUT', '/api/v1/write-repositories/{repo}', {
    summary: 'Replace the credentials to write to a repository.',
    tag: TAG,
    access: entryAccess(TYPE, 'update'),
    query: { appProject: text() },
    body: REPOSITORY_BODY,
    handle: async (context) => {
      mustHydrate(context.services);
      const { repo } = context.path;
      await replace(context, TYPE, repo);
      return json({ repo, type: context.body.type ?? 'git' });
    },
  }),
  route('DELETE', '/api/v1/write-repositories/{repo}', {
    summary: 'Remove the credentials to write to a repository.',
    tag: TAG,
    access: entryAccess(TYPE, 'delete'),
    query: { appProject: text(), forceRefresh: flag() },
    handle: (context) => {
      mustHydrate(context.services);
      return remove(context, TYPE);
    },
  }),
  route('POST', '/api/v1/write-repositories/{repo}/validate', {
    changes: false,
    summary: 'Test access to a repository with these credentials to write; nothing is stored.',
    tag: TAG,
    access: { kind: WRITE_REPOSITORY, action: 'create', describe: (input: Input) => namedInPath(input) },
    query: VALIDATE_PARAMETERS,
    takesRawBody: true,
    bodyLimit: 256 * 1024,
    handle: async (context) => {
      mustHydrate(context.services);
      await checkGiven(context, WRITE_REPOSITORY);
      return json({});
    },
  }),
];
