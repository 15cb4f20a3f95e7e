import { masked, type FrontDesk } from '../../control/index.js';
import { projectOf, serverOf, type JsonObject, type KubeObject } from '../../model/index.js';
import { json, type Answer } from '../http/answer.js';
import { route, type Route } from '../route/route.js';
import { text } from '../route/shape.js';
import { applicationView } from '../applications/application-text.js';
import { TAG as APPLICATIONS, OBJECT, WHICH } from './applications/parameters.js';
import { liveOrApplication } from './applications/resource.js';
import { findProject, named, TAG as PROJECTS } from './plane/project-routes.js';

type Data = Parameters<FrontDesk['deepLinks']>[1];

const GET = { resource: 'applications', action: 'get', object: 'application' } as const;
/** Where a page of another installation manages the application. */
const MANAGED_BY = 'argocd.argoproj.io/managed-by-url';

function answer(desk: FrontDesk, subject: 'application' | 'resource' | 'project', data: Data): Answer {
  return json({ items: desk.deepLinks(subject, data) });
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

function clusterFor(desk: FrontDesk, application: KubeObject): Pick<Data, 'cluster'> {
  const where = serverOf(application);
  const found = desk.clusters.find(({ server, name }) => server === where || name === where);
  return found === undefined ? {} : { cluster: clusterData(found) };
}

/**
 * What Argo CD lets links see of a cluster: nothing of how to get in, and no annotations, which tools fill with the
 * whole Secret.
 */
function clusterData({ server, name, namespaces, project, labels }: FrontDesk['clusters'][number]): JsonObject {
  return {
    server,
    name,
    ...(namespaces.length === 0 ? {} : { namespaces: [...namespaces] }),
    ...(project === '' ? {} : { project }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}

function applicationFor(desk: FrontDesk, application: KubeObject): Data {
  const { apiVersion, kind } = application;
  const shown: KubeObject = { ...(applicationView(application) as unknown as KubeObject), apiVersion, kind };
  return {
    application: shown,
    ...clusterFor(desk, application),
    managedByURL: application.metadata.annotations?.[MANAGED_BY] ?? desk.settings.url,
  };
}

export const LINK_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/links', {
    says: 'Links that argocd-cm has for applications.',
    tag: APPLICATIONS,
    access: { ...GET, namespaceIn: 'namespace' },
    query: { ...WHICH, namespace: text('The namespace of the Application.') },
    handle: ({ application, desk }) => answer(desk, 'application', applicationFor(desk, application)),
  }),
  route('GET', '/api/v1/applications/{name}/resource/links', {
    says: 'Links that argocd-cm has for an object.',
    tag: APPLICATIONS,
    access: GET,
    query: OBJECT,
    handle: async (context) => {
      const { application, desk } = context;
      const { object } = await liveOrApplication(context);
      return answer(desk, 'resource', {
        ...applicationFor(desk, application),
        ...projectFor(desk.projectObject(projectOf(application))),
        resource: masked(object, desk.settings),
      });
    },
  }),
  route('GET', '/api/v1/projects/{name}/links', {
    says: 'Links that argocd-cm has for projects.',
    tag: PROJECTS,
    access: { resource: 'projects', action: 'get', object: named },
    handle: ({ desk, path: { name } }) => answer(desk, 'project', projectFor(findProject(desk, name))),
  }),
];
