import type { Json } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { APPLICATION } from '../../access/index.js';
import {
  applicationFeed,
  filterBy,
  type ApplicationFilter,
  applicationView,
  parseFields,
} from '../../applications/index.js';
import { json, jsonText, stream, ApiError } from '../../http/index.js';
import { route, type Route, text, type Values } from '../../route/index.js';
import { FILTERS, PAGE, projectsOf, TAG, APPLICATION_PARAMETERS } from './parameters.js';
import { refreshApplication } from './refresh.js';

export const READ_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications', {
    summary: 'List the applications that the caller may get.',
    tag: TAG,
    access: { each: APPLICATION, action: 'get' },
    query: {
      ...FILTERS,
      ...PAGE,
      refresh: text(),
      fields: text('Such as items.metadata.name,items.spec; with a leading -, fields to leave out.'),
    },
    handle: ({ access, subject, services, server, query }) => {
      const all = services.applications.list();
      const found = access
        .visibilityOf(subject)
        .filter(all)
        .filter(filterBy(filterOf(query)));
      const { limit = 0, offset = 0, fields = '' } = query;
      const page = limit === 0 ? found.slice(offset) : found.slice(offset, offset + limit);
      const choice = parseFields(fields, 'items.');
      const remaining = found.length - offset - page.length;
      const metadata = {
        resourceVersion: newestVersion(all),
        ...(remaining > 0 ? { remainingItemCount: remaining } : {}),
      };
      const isItemsWanted =
        choice === undefined || choice.isExclusion || choice.tree.size > 0 || fields.includes('items');
      const items = isItemsWanted
        ? page.map((application) => server.applicationTexts.of(application, choice, fields))
        : [];
      return jsonText(`{"metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`);
    },
  }),
  route('GET', '/api/v1/applications/{name}', {
    summary: 'One application; with refresh=normal or hard, after a controller has refreshed it.',
    tag: TAG,
    access: { resource: 'applications', action: 'get', object: 'application' },
    query: {
      ...APPLICATION_PARAMETERS,
      projects: list(),
      refresh: text('normal or hard.'),
      resourceVersion: text(),
      selector: text(),
      repo: text(),
    },
    handle: async ({ application, query: { refresh, project = [] }, services, signal }) => {
      if (project.length > 1)
        throw new ApiError(
          'InvalidArgument',
          'multiple projects specified - the get endpoint accepts either zero or one project',
        );
      return json(
        applicationView(
          refresh === undefined
            ? application
            : await refreshApplication(application, refresh === 'hard' ? 'hard' : 'normal', services, signal),
        ),
      );
    },
  }),
  route('GET', '/api/v1/stream/applications', {
    summary: 'Applications as they change.',
    tag: TAG,
    access: { each: APPLICATION, action: 'get' },
    streams: true,
    query: { ...FILTERS, fields: text() },
    handle: ({ services, server, authoriser, query }) => {
      const fits = filterBy(filterOf(query));
      const { fields = '', resourceVersion = '', name = '' } = query;
      const choice = parseFields(fields, 'result.application.');
      const hasType =
        choice === undefined || choice.isExclusion ? !fields.includes('-result.type') : fields.includes('result.type');
      return stream(
        applicationFeed({
          services,
          texts: server.applicationTexts,
          fields: choice,
          fieldsText: `stream ${fields}`,
          hasType,
          sendsInitial: resourceVersion === '' || name !== '',
          isWanted: (application) =>
            services.applications.isApplicationNamespace(application.metadata.namespace ?? '') &&
            fits(application) &&
            authoriser.may(APPLICATION, 'get', application),
        }),
      );
    },
  }),
];

function list(): typeof FILTERS.projects {
  return FILTERS.projects;
}

export function filterOf(query: Omit<Values<typeof FILTERS>, 'resourceVersion'>): ApplicationFilter {
  const { name, appNamespace, selector, repo, search, sync, health, cluster, namespace, autoSync } = query;
  return {
    name,
    appNamespace,
    selector,
    repo,
    search,
    sync,
    health,
    cluster,
    namespace,
    autoSync,
    projects: projectsOf(query),
  };
}

/** Versions are decimal numbers that grow. */
function newestVersion(applications: readonly KubeObject[]): Json {
  let newest = '0';
  for (const {
    metadata: { resourceVersion = '' },
  } of applications)
    if (
      resourceVersion.length > newest.length ||
      (resourceVersion.length === newest.length && resourceVersion > newest)
    )
      newest = resourceVersion;
  return newest;
}
