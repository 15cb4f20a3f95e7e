import { compareText } from '../../../model/go/index.js';
import type { RepositorySecretType } from '../../../control/index.js';
import { REPOSITORY, WRITE_REPOSITORY } from '../../access/index.js';
import { json } from '../../http/index.js';
import { flag, route, text, type Route } from '../../route/index.js';
import {
  add,
  credentialsView,
  entryAccess,
  newAccess,
  remove,
  replace,
  REPOSITORY_BODY,
  TAG,
} from './repository-secrets.js';

/** What opens all repositories below an address. */
function credentialRoutes(
  prefix: 'repocreds' | 'write-repocreds',
  type: RepositorySecretType,
  kind: typeof REPOSITORY,
  what: string,
): Route[] {
  return [
    route('GET', `/api/v1/${prefix}`, {
      summary: `List the ${what}, without secrets.`,
      tag: TAG,
      access: { each: kind, action: 'get' },
      query: { url: text() },
      handle: ({ services, authoriser }) =>
        json({
          metadata: {},
          items: authoriser
            .visible(kind, services.repositories.entriesOf(type))
            .toSorted((a, b) => compareText(a.url, b.url))
            .map(credentialsView),
        }),
    }),
    route('POST', `/api/v1/${prefix}`, {
      summary: `Add to the ${what}.`,
      tag: TAG,
      access: newAccess(type),
      query: { upsert: flag() },
      body: REPOSITORY_BODY,
      handle: async (context) => {
        await add(context, type);
        const { body } = context;
        return json({ url: body.url ?? body.repo ?? '', ...(body.type === undefined ? {} : { type: body.type }) });
      },
    }),
    route('PUT', `/api/v1/${prefix}/{url}`, {
      summary: `Replace one of the ${what}.`,
      tag: TAG,
      access: entryAccess(type, 'update'),
      body: REPOSITORY_BODY,
      handle: async (context) => {
        const url = context.path.url;
        await replace(context, type, url);
        return json({ url });
      },
    }),
    route('DELETE', `/api/v1/${prefix}/{url}`, {
      summary: `Remove one of the ${what}.`,
      tag: TAG,
      access: entryAccess(type, 'delete'),
      handle: (context) => remove(context, type),
    }),
  ];
}

export const CREDENTIAL_ROUTES: readonly Route[] = [
  ...credentialRoutes('repocreds', 'repo-creds', REPOSITORY, 'credentials for all repositories below an address'),
  ...credentialRoutes(
    'write-repocreds',
    'repo-write-creds',
    WRITE_REPOSITORY,
    'credentials to write to all repositories below an address',
  ),
];
