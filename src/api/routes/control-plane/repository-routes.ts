import { REPOSITORY } from '../../access/index.js';
import { json } from '../../http/index.js';
import { route, type Route, flag, text } from '../../route/index.js';
import { add, entryAccess, entryView, newAccess, remove, replace, storedView, TAG } from './repository-secrets.js';
import { REPOSITORY_BODY } from './repository-secrets.js';

export const REPOSITORY_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/repositories', {
    summary: 'List the repositories that the caller may see, without credentials.',
    tag: TAG,
    access: { each: REPOSITORY, action: 'get' },
    query: { repo: text(), forceRefresh: flag(), appProject: text() },
    handle: async ({ services, authoriser, query: { forceRefresh = false } }) => {
      const entries = authoriser.visible(REPOSITORY, services.repositories.entries);
      const states = await services.repositories.connectionStates(entries, forceRefresh);
      return json({
        metadata: {},
        items: entries.map((entry, index) => ({ ...entryView(entry), connectionState: states[index] ?? {} })),
      });
    },
  }),
  route('POST', '/api/v1/repositories', {
    summary: 'Add a repository with its credentials.',
    tag: TAG,
    access: newAccess('repository'),
    query: { upsert: flag(), credsOnly: flag() },
    body: REPOSITORY_BODY,
    handle: async (context) => {
      await add(context, 'repository');
      return json(storedView(context.body));
    },
  }),
  route('GET', '/api/v1/repositories/{repo}', {
    summary: 'A repository with its connection status.',
    tag: TAG,
    access: entryAccess('repository', 'get'),
    query: { forceRefresh: flag(), appProject: text() },
    handle: async ({ object, services }) =>
      json({ ...entryView(object), connectionState: await services.repositories.connectionState(object) }),
  }),
  route('PUT', '/api/v1/repositories/{repo}', {
    summary: 'Update the credentials of a repository.',
    tag: TAG,
    access: entryAccess('repository', 'update'),
    query: { appProject: text() },
    body: REPOSITORY_BODY,
    handle: async (context) => {
      const { repo } = context.path;
      await replace(context, 'repository', repo);
      return json({ repo, type: context.body.type ?? 'git' });
    },
  }),
  route('DELETE', '/api/v1/repositories/{repo}', {
    summary: 'Remove a repository from the configuration.',
    tag: TAG,
    access: entryAccess('repository', 'delete'),
    query: { appProject: text(), forceRefresh: flag() },
    handle: (context) => remove(context, 'repository'),
  }),
  route('GET', '/api/v1/repositories/{repo}/refs', {
    summary: 'Branches and tags of a repository.',
    tag: TAG,
    access: entryAccess('repository', 'get'),
    query: { appProject: text(), forceRefresh: flag() },
    handle: async ({ object, services }) => json(await services.repositories.refsOf(object)),
  }),
];
