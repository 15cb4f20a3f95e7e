import { sourcesOf } from '../../../model/argo/index.js';
import { isObject, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { json, ApiError } from '../../http/index.js';
import { route, type ReadServices, type Route, text, integer } from '../../route/index.js';
import { eventsAbout, eventView } from '../shared/events-about.js';
import { TAG, APPLICATION_PARAMETERS } from './parameters.js';

const GET = { resource: 'applications', action: 'get', object: 'application' } as const;
const REVISION = {
  ...APPLICATION_PARAMETERS,
  sourceIndex: integer('', { min: 0 }),
  versionId: integer('', { min: 0 }),
};

/** Events about the Application itself, or about an object of its tree. */
async function events(
  application: KubeObject,
  services: ReadServices,
  asked: {
    readonly resourceNamespace?: string | undefined;
    readonly resourceName?: string | undefined;
    readonly resourceUID?: string | undefined;
  },
): Promise<JsonObject[]> {
  const { resourceNamespace = '', resourceName = '', resourceUID = '' } = asked;
  if (resourceName === '' && resourceUID === '') return eventsAbout(services, application);
  const tree = await services.resources.tree(application);
  const node = [...tree.nodes, ...(tree.orphanedNodes ?? [])].find(
    (each) =>
      each.name === resourceName &&
      (each.namespace ?? '') === resourceNamespace &&
      (resourceUID === '' || each.uid === resourceUID),
  );
  if (node?.uid === undefined)
    throw new ApiError(
      'InvalidArgument',
      `${resourceName} not found as part of application ${application.metadata.name ?? ''}`,
    );
  const { namespace, name, uid } = node;
  return (await services.resources.eventsAbout(application, { namespace: namespace ?? '', name, uid })).map(eventView);
}

/** The source that a revision belongs to: the first one, or the one asked for, of now or of a deployment before. */
function sourceAt(application: KubeObject, sourceIndex: number, versionId: number | undefined): JsonObject {
  const entry =
    versionId === undefined
      ? undefined
      : (isObject(application.status) && Array.isArray(application.status.history)
          ? application.status.history
          : []
        ).find((each) => isObject(each) && Number(each.id) === versionId);
  if (versionId !== undefined && !isObject(entry))
    throw new ApiError('InvalidArgument', `revision history not found for version ID ${versionId}`);
  const sources = isObject(entry) ? sourcesOf({ ...application, spec: entry }) : sourcesOf(application);
  const source = sources[sourceIndex];
  if (source === undefined)
    throw new ApiError(
      'InvalidArgument',
      `source index ${sourceIndex} not found because there ` +
        (sources.length === 1 ? 'is only 1 source' : `are only ${sources.length} sources`),
    );
  return source;
}

export const EVENT_AND_REVISION_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/events', {
    summary: 'Events about an application, or about one of its objects.',
    tag: TAG,
    access: GET,
    query: { ...APPLICATION_PARAMETERS, resourceNamespace: text(), resourceName: text(), resourceUID: text() },
    handle: async ({ application, services, query }) =>
      json({ metadata: {}, items: await events(application, services, query) }),
  }),
  route('GET', '/api/v1/applications/{name}/revisions/{revision}/metadata', {
    summary: 'Author, date and message of a commit.',
    tag: TAG,
    access: GET,
    query: REVISION,
    handle: async ({ application, services, path: { revision }, query: { sourceIndex = 0, versionId } }) => {
      const { author, date, message, tags } = await services.repositories.describeRevision(
        application,
        sourceAt(application, sourceIndex, versionId),
        revision,
      );
      return json({ author, date, ...(tags.length === 0 ? {} : { tags }), message });
    },
  }),
  route('GET', '/api/v1/applications/{name}/revisions/{revision}/chartdetails', {
    summary: 'Description, home and maintainers of a chart.',
    tag: TAG,
    access: GET,
    query: REVISION,
    handle: async ({ application, services, path: { revision }, query: { sourceIndex = 0, versionId } }) => {
      const { description, home, maintainers } = await services.repositories.chartDetails(
        application,
        sourceAt(application, sourceIndex, versionId),
        revision,
      );
      return json({
        ...(description === '' ? {} : { description }),
        ...(home === '' ? {} : { home }),
        ...(maintainers.length === 0 ? {} : { maintainers }),
      });
    },
  }),
];
