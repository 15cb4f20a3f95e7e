import {
  listAt,
  matchesLabels,
  objectAt,
  parseLabelSelector,
  textAt,
  writeJson,
  type JsonObject,
  type KubeObject,
} from '../../../model/index.js';
import { Changes, type EventType } from '../../applications/changes.js';
import { json, stream } from '../../http/answer.js';
import { ApiError } from '../../http/api-error.js';
import { route, type Context, type Route } from '../../route/route.js';
import { list, text } from '../../route/shape.js';
import { eventsAbout } from '../events-about.js';
import type { Services } from '../services.js';
import { findSet, nameOf, projectOf, setView, TAG } from './application-set-routes.js';

const GET = { resource: 'applicationsets', action: 'get', object: 'each' } as const;
const ONE = { appsetNamespace: text() };

async function visible(
  { desk, may }: Pick<Context, 'desk' | 'may'>,
  name: string,
  namespace: string,
): Promise<KubeObject> {
  const set = await findSet(desk, name, namespace);
  if (!may('applicationsets', 'get', nameOf(set, desk))) throw new ApiError('PermissionDenied', 'permission denied');
  return set;
}

/** The applications that it made, as its status tells of them. */
function treeOf({
  apiVersion,
  kind,
  metadata: { name = '', namespace = '', uid = '' },
  ...set
}: KubeObject): JsonObject {
  const [group = '', version = ''] = apiVersion.split('/');
  const parentRefs = [{ group, version, kind, namespace, name, uid }];
  const nodes = listAt(set, 'status', 'resources').map((resource): JsonObject => {
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

export function applicationSetLookRoutes({ sets }: Services): Route[] {
  return [
    route('GET', '/api/v1/applicationsets/{name}/resource-tree', {
      says: 'The applications that an ApplicationSet made.',
      tag: TAG,
      access: GET,
      query: ONE,
      handle: async (context) =>
        json(treeOf(await visible(context, context.path.name, context.query.appsetNamespace ?? ''))),
    }),
    route('GET', '/api/v1/applicationsets/{name}/events', {
      says: 'Events about an ApplicationSet.',
      tag: TAG,
      access: GET,
      query: ONE,
      handle: async (context) => {
        const {
          name = '',
          namespace = '',
          uid = '',
        } = (await visible(context, context.path.name, context.query.appsetNamespace ?? '')).metadata;
        return json({ metadata: {}, items: await eventsAbout(context.desk.cluster, namespace, name, uid) });
      },
    }),
    route('GET', '/api/v1/stream/applicationsets', {
      says: 'ApplicationSets as they change.',
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
        desk,
        may,
        query: { name = '', projects = [], selector = '', appSetNamespace = '', resourceVersion = '' },
      }) => {
        const labels = parseLabelSelector(selector);
        const isWanted = (set: KubeObject): boolean =>
          desk.isOurs(set.metadata.namespace ?? '') &&
          (name === '' || set.metadata.name === name) &&
          (appSetNamespace === '' || set.metadata.namespace === appSetNamespace) &&
          (projects.length === 0 || projects.includes(projectOf(set))) &&
          matchesLabels(labels, set.metadata.labels ?? {}) &&
          may('applicationsets', 'get', nameOf(set, desk));
        return stream(async (outlet) => {
          const changes = new Changes();
          const { now, stop } = await sets.follow((change) => {
            changes.note(change);
          });
          try {
            if (name !== '' || resourceVersion === '')
              for (const object of now) changes.note({ type: 'added', object });
            await changes.tell(outlet, (type, set) => (isWanted(set) ? eventText(type, set) : undefined));
          } finally {
            stop();
          }
        });
      },
    }),
  ];
}
