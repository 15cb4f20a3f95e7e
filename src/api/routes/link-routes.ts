import { maskLive, type ApplicationService } from '../../control/index.js';
import { projectOf, serverOf } from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { json, type Answer } from '../http/index.js';
import { route, type Route, text } from '../route/index.js';
import { applicationView } from '../applications/index.js';
import { TAG as APPLICATIONS, OBJECT_PARAMETERS, APPLICATION_PARAMETERS } from './applications/parameters.js';
import { readLiveOrApplication } from './applications/resource.js';
import { findProject, nameInPath, TAG as PROJECTS } from './control-plane/project-routes.js';

type Data = Parameters<ApplicationService['deepLinks']>[1];

const GET = { resource: 'applications', action: 'get', object: 'application' } as const;
/** Where a page of another installation manages the application. */
const MANAGED_BY = 'argocd.argoproj.io/managed-by-url';

function answer(service: ApplicationService, subject: 'application' | 'resource' | 'project', data: Data): Answer {
  return json({ items: service.deepLinks(subject, data) });
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

function clusterFor(service: ApplicationService, application: KubeObject): Pick<Data, 'cluster'> {
  const where = serverOf(application);
  const found = service.clusters.find(({ server, name }) => server === where || name === where);
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
}: ApplicationService['clusters'][number]): JsonObject {
  return {
    server,
    name,
    ...(namespaces.length === 0 ? {} : { namespaces: [...namespaces] }),
    ...(project === '' ? {} : { project }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}

function applicationFor(service: ApplicationService, application: KubeObject): Data {
  const { apiVersion, kind } = application;
  const shown: KubeObject = { ...(applicationView(application) as unknown as KubeObject), apiVersion, kind };
  return {
    application: shown,
    ...clusterFor(service, application),
    managedByURL: application.metadata.annotations?.[MANAGED_BY] ?? service.settings.url,
  };
}

export const LINK_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/links', {
    summary: 'Links that argocd-cm has for applications.',
    tag: APPLICATIONS,
    access: { ...GET, namespaceIn: 'namespace' },
    query: { ...APPLICATION_PARAMETERS, namespace: text('The namespace of the Application.') },
    handle: ({ application, service }) => answer(service, 'application', applicationFor(service, application)),
  }),
  route('GET', '/api/v1/applications/{name}/resource/links', {
    summary: 'Links that argocd-cm has for an object.',
    tag: APPLICATIONS,
    access: GET,
    query: OBJECT_PARAMETERS,
    handle: async (context) => {
      const { application, service } = context;
      const { object } = await readLiveOrApplication(context);
      return answer(service, 'resource', {
        ...applicationFor(service, application),
        ...projectFor(service.projectObject(projectOf(application))),
        resource: maskLive(object, service.settings),
      });
    },
  }),
  route('GET', '/api/v1/projects/{name}/links', {
    summary: 'Links that argocd-cm has for projects.',
    tag: PROJECTS,
    access: { resource: 'projects', action: 'get', object: nameInPath },
    handle: ({ service, path: { name } }) => answer(service, 'project', projectFor(findProject(service, name))),
  }),
];
