import { matchesLabels, parseLabelSelector, type KubeObject } from '../../../model/kubernetes/index.js';
import { type JsonObject, objectAt, objectsAt, textAt, writeJson } from '../../../model/json/index.js';
import { PendingChanges, type EventType } from '../../applications/index.js';
import { json, stream, ApiError } from '../../http/index.js';
import { route, type Context, type Route, list, text } from '../../route/index.js';
import { eventsAbout } from '../shared/events-about.js';
import { findSet, rbacNameOf, projectOf, setView, TAG } from './application-set-routes.js';

const GET = { resource: 'applicationsets', action: 'get', object: 'each' } as const;
const SET_PARAMETERS = { appsetNamespace: text() };

async function visible(
  { services, may }: Pick<Context, 'services' | 'may'>,
  name: string,
  namespace: string,
): Promise<KubeObject> {
  const set = await findSet(services, name, namespace);
  if (!may('applicationsets', 'get', rbacNameOf(set, services)))
    throw new ApiError('PermissionDenied', 'permission denied');
  return set;
}

/** The applications of a set, from its status. */
function treeOf({
  apiVersion,
  kind,
  metadata: { name = '', namespace = '', uid = '' },
  ...set
}: KubeObject): JsonObject {
  const [group = '', version = ''] = apiVersion.split('/');
  const parentRefs = [{ group, version, kind, namespace, name, uid }];
  const nodes = objectsAt(set, 'status', 'resources').map((resource): JsonObject => {
    const health = objectAt(resource, 'health');
    return {
      group: textAt(resource, 'group'),
      version: textAt(resource, 'version'),
      kind: textAt(resource, 'kind'),
      namespace,
      name: textAt(resource, 'name'),
      parentRefs,
      ...(health === undefined ? {} : { health }),
    };
  });
  return nodes.length === 0 ? {} : { nodes };
}

function eventText(type: EventType, set: KubeObject): string {
  return `{"type":"${type}","applicationSet":${writeJson(setView(set))}}`;
}

export const APPLICATION_SET_WATCH_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applicationsets/{name}/resource-tree', {
    summary: 'The applications of an ApplicationSet.',
    tag: TAG,
    access: GET,
    query: SET_PARAMETERS,
    handle: async (context) =>
      json(treeOf(await visible(context, context.path.name, context.query.appsetNamespace ?? ''))),
  }),
  route('GET', '/api/v1/applicationsets/{name}/events', {
    summary: 'Events about an ApplicationSet.',
    tag: TAG,
    access: GET,
    query: SET_PARAMETERS,
    handle: async (context) => {
      const {
        name = '',
        namespace = '',
        uid = '',
      } = (await visible(context, context.path.name, context.query.appsetNamespace ?? '')).metadata;
      return json({ metadata: {}, items: await eventsAbout(context.services.cluster, namespace, name, uid) });
    },
  }),
  route('GET', '/api/v1/stream/applicationsets', {
    summary: 'ApplicationSets as they change.',
    tag: TAG,
    access: GET,
    streams: true,
    query: {
      name: text(),
      projects: list(text()),
      selector: text(),
      appSetNamespace: text(),
      resourceVersion: text(),
    },
    handle: ({
      services,
      server,
      may,
      query: { name = '', projects = [], selector = '', appSetNamespace = '', resourceVersion = '' },
    }) => {
      const labels = parseLabelSelector(selector);
      const isWanted = (set: KubeObject): boolean =>
        services.applications.isApplicationNamespace(set.metadata.namespace ?? '') &&
        (name === '' || set.metadata.name === name) &&
        (appSetNamespace === '' || set.metadata.namespace === appSetNamespace) &&
        (projects.length === 0 || projects.includes(projectOf(set))) &&
        matchesLabels(labels, set.metadata.labels ?? {}) &&
        may('applicationsets', 'get', rbacNameOf(set, services));
      return stream(async (outlet) => {
        const changes = new PendingChanges();
        const { now, stop } = await server.applicationSets.follow((change) => {
          changes.add(change);
        });
        try {
          if (name !== '' || resourceVersion === '') for (const object of now) changes.add({ type: 'added', object });
          await changes.sendTo(outlet, (type, set) => (isWanted(set) ? eventText(type, set) : undefined));
        } finally {
          stop();
        }
      });
    },
  }),
];
