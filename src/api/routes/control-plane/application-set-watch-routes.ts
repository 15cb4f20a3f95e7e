import { matchesLabels, parseLabelSelector, type KubeObject } from '../../../model/kubernetes/index.js';
import { type JsonObject, objectAt, objectsAt, textAt, writeJson } from '../../../model/json/index.js';
import { PendingChanges, type EventType } from '../../applications/index.js';
import { APPLICATION_SET, projectOfSet } from '../../access/index.js';
import { json, stream } from '../../http/index.js';
import { route, type Route, list, text } from '../../route/index.js';
import { eventsAbout } from '../shared/events-about.js';
import { setAccess, setView, TAG } from './application-set-routes.js';

const SET_PARAMETERS = { appsetNamespace: text() };

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
    access: setAccess('get'),
    query: SET_PARAMETERS,
    handle: ({ object }) => json(treeOf(object)),
  }),
  route('GET', '/api/v1/applicationsets/{name}/events', {
    summary: 'Events about an ApplicationSet.',
    tag: TAG,
    access: setAccess('get'),
    query: SET_PARAMETERS,
    handle: async ({ object, services }) => json({ metadata: {}, items: await eventsAbout(services, object) }),
  }),
  route('GET', '/api/v1/stream/applicationsets', {
    summary: 'ApplicationSets as they change.',
    tag: TAG,
    access: { each: APPLICATION_SET, action: 'get' },
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
      authoriser,
      query: { name = '', projects = [], selector = '', appSetNamespace = '', resourceVersion = '' },
    }) => {
      const labels = parseLabelSelector(selector);
      const isWanted = (set: KubeObject): boolean =>
        services.applications.isApplicationNamespace(set.metadata.namespace ?? '') &&
        (name === '' || set.metadata.name === name) &&
        (appSetNamespace === '' || set.metadata.namespace === appSetNamespace) &&
        (projects.length === 0 || projects.includes(projectOfSet(set))) &&
        matchesLabels(labels, set.metadata.labels ?? {}) &&
        authoriser.may(APPLICATION_SET, 'get', set);
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
