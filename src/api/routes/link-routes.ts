import { maskLive, type ControlServices } from '../../control/index.js';
import { projectOf, serverOf } from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { json, type Answer } from '../http/index.js';
import { route, type ReadServices, type Route, text } from '../route/index.js';
import { applicationView } from '../applications/index.js';
import { TAG as APPLICATIONS, OBJECT_PARAMETERS, APPLICATION_PARAMETERS } from './applications/parameters.js';
import { keyOf } from './applications/resource.js';
import { findProject, projectAccess, TAG as PROJECTS } from './control-plane/project-routes.js';

type Data = Parameters<ControlServices['settings']['deepLinks']>[1];

const GET = { resource: 'applications', action: 'get', object: 'application' } as const;
/** Where a page of another installation manages the application. */
const MANAGED_BY = 'argocd.argoproj.io/managed-by-url';

function answer(services: ReadServices, subject: 'application' | 'resource' | 'project', data: Data): Answer {
  return json({ items: services.settings.deepLinks(subject, data) });
}

/** Without the hashes of its roles' tokens. */
function projectFor(project: KubeObject | undefined): Pick<Data, 'project'> {
  if (project === undefined) return {};
  const {
    status: _,
    metadata: { managedFields: _m, ...metadata },
    ...rest
  } = project;
  return { project: { ...rest, metadata } };
}

function clusterFor(services: ReadServices, application: KubeObject): Pick<Data, 'cluster'> {
  const where = serverOf(application);
  const found = services.clusters.summaries.find(({ server, name }) => server === where || name === where);
  return found === undefined ? {} : { cluster: clusterData(found) };
}

/**
 * What Argo CD lets links see of a cluster: nothing of how to get in, and no annotations, which tools fill with the
 * whole Secret.
 */
function clusterData({
  server,
  name,
  namespaces,
  project,
  labels,
}: ControlServices['clusters']['summaries'][number]): JsonObject {
  return {
    server,
    name,
    ...(namespaces.length === 0 ? {} : { namespaces: [...namespaces] }),
    ...(project === '' ? {} : { project }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}

function applicationFor(services: ReadServices, application: KubeObject): Data {
  const { apiVersion, kind } = application;
  const view: KubeObject = { ...(applicationView(application) as unknown as KubeObject), apiVersion, kind };
  return {
    application: view,
    ...clusterFor(services, application),
    managedByURL: application.metadata.annotations?.[MANAGED_BY] ?? services.settings.current.url,
  };
}

export const LINK_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/links', {
    summary: 'Deep links of an application.',
    tag: APPLICATIONS,
    access: { ...GET, namespaceIn: 'namespace' },
    query: { ...APPLICATION_PARAMETERS, namespace: text('The namespace of the Application.') },
    handle: ({ application, services }) => answer(services, 'application', applicationFor(services, application)),
  }),
  route('GET', '/api/v1/applications/{name}/resource/links', {
    summary: 'Deep links of a resource.',
    tag: APPLICATIONS,
    access: GET,
    query: OBJECT_PARAMETERS,
    handle: async ({ application, services, query }) => {
      const object = await services.resources.read(application, keyOf(query), query.version);
      return answer(services, 'resource', {
        ...applicationFor(services, application),
        ...projectFor(services.projects.findObject(projectOf(application))),
        resource: maskLive(object, services.settings.current),
      });
    },
  }),
  route('GET', '/api/v1/projects/{name}/links', {
    summary: 'Deep links of a project.',
    tag: PROJECTS,
    access: projectAccess('get'),
    handle: ({ services, path: { name } }) => answer(services, 'project', projectFor(findProject(services, name))),
  }),
];
