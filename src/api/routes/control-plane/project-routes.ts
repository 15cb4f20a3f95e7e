import { type ControlServices } from '../../../control/index.js';
import { Fault } from '../../../model/faults/index.js';
import { isArray, isObject, own, type JsonObject } from '../../../model/json/index.js';
import { parseAppProject } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { json, ApiError } from '../../http/index.js';
import { route, type Input, type Route, anyObject, fields, flag, text } from '../../route/index.js';
import { eventsAbout } from '../shared/events-about.js';
import { APP_PROJECTS } from '../../../model/resources/index.js';

export const TAG = 'projects';
export const nameInPath = ({ path }: Input): string => path['name'] ?? '';

/** Without kind, and without the tokens of its roles, which are as good as a password's hash. */
function projectView({ metadata: { managedFields: _, ...metadata }, spec, status }: KubeObject): JsonObject {
  return { metadata, spec: spec ?? {}, ...(isObject(status) ? { status } : { status: {} }) };
}

export function findProject(services: ControlServices, name: string): KubeObject {
  const project = services.projects.findObject(name);
  if (project === undefined) throw new ApiError('NotFound', `appprojects.argoproj.io "${name}" not found`);
  return project;
}

function projectOf(body: { readonly project: JsonObject | undefined }, services: ControlServices): KubeObject {
  const given = body.project ?? {};
  const metadata = isObject(given.metadata) ? given.metadata : {};
  if (typeof metadata.name !== 'string' || metadata.name === '')
    throw new ApiError('InvalidArgument', "missing payload 'project' in request: project.metadata.name is needed");
  const project: KubeObject = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { ...metadata, namespace: services.namespace },
    spec: isObject(given.spec) ? given.spec : {},
  };
  try {
    parseAppProject(project);
  } catch (error) {
    if (error instanceof Fault) throw new ApiError('InvalidArgument', `error validating project: ${error.message}`);
    throw error;
  }
  return project;
}

const PROJECT_BODY = fields({ project: anyObject('An AppProject.'), upsert: flag() });
const inBody = ({ body }: Input): string => {
  const { project } = body as { project?: { metadata?: { name?: unknown } } };
  return typeof project?.metadata?.name === 'string' ? project.metadata.name : '';
};

export const PROJECT_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/projects', {
    summary: 'List the projects that the caller may see.',
    tag: TAG,
    access: { resource: 'projects', action: 'get', object: 'each' },
    query: { name: text() },
    handle: ({ services, may, query: { name = '' } }) =>
      json({
        metadata: {},
        items: services.projects
          .objects()
          .filter(
            ({ metadata }) => (name === '' || metadata.name === name) && may('projects', 'get', metadata.name ?? ''),
          )
          .map(projectView),
      }),
  }),
  route('POST', '/api/v1/projects', {
    summary: 'Create a project.',
    tag: TAG,
    access: { resource: 'projects', action: 'create', object: inBody },
    body: PROJECT_BODY,
    handle: async ({ body, services, must }) => {
      const wanted = projectOf(body, services);
      const existing = services.projects.findObject(wanted.metadata.name ?? '');
      if (existing === undefined) return json(projectView(await services.cluster.create(APP_PROJECTS, wanted)));
      if (body.upsert !== true)
        throw new ApiError('InvalidArgument', 'existing project spec is different; use upsert flag to force update');
      must('projects', 'update', wanted.metadata.name ?? '');
      return json(
        projectView(
          await services.cluster.patch(
            APP_PROJECTS,
            { namespace: services.namespace, name: wanted.metadata.name ?? '' },
            { type: 'json', body: [{ op: 'replace', path: '/spec', value: own(wanted, 'spec') ?? {} }] },
          ),
        ),
      );
    },
  }),
  route('GET', '/api/v1/projects/{name}', {
    summary: 'One project.',
    tag: TAG,
    access: { resource: 'projects', action: 'get', object: nameInPath },
    handle: ({ services, path: { name } }) => json(projectView(findProject(services, name))),
  }),
  route('GET', '/api/v1/projects/{name}/detailed', {
    summary: 'A project with its repositories, clusters and global projects.',
    tag: TAG,
    access: { resource: 'projects', action: 'get', object: nameInPath },
    handle: ({ services, path: { name } }) =>
      json({
        globalProjects: [],
        project: projectView(findProject(services, name)),
        repositories: services.repositories.entries
          .filter(({ project }) => project === name)
          .map(({ url, name: title }) => ({ repo: url, name: title, project: name })),
        clusters: services.clusters.summaries
          .filter(({ project }) => project === name)
          .map(({ server, name: title }) => ({ server, name: title, project: name })),
      }),
  }),
  route('PUT', '/api/v1/projects/{name}', {
    summary: 'Replace the spec, labels and annotations of a project.',
    tag: TAG,
    access: { resource: 'projects', action: 'update', object: nameInPath },
    body: PROJECT_BODY,
    handle: async ({ body, services, path: { name } }) => {
      const wanted = projectOf(
        {
          project: {
            ...body.project,
            metadata: { ...(isObject(body.project?.metadata) ? body.project.metadata : {}), name },
          },
        },
        services,
      );
      const current = await services.cluster.get(APP_PROJECTS, { namespace: services.namespace, name });
      if (current === undefined) throw new ApiError('NotFound', `appprojects.argoproj.io "${name}" not found`);
      const { labels, annotations } = wanted.metadata;
      return json(
        projectView(
          await services.cluster.update(APP_PROJECTS, {
            ...current,
            spec: own(wanted, 'spec'),
            metadata: {
              ...current.metadata,
              ...(labels === undefined ? {} : { labels }),
              ...(annotations === undefined ? {} : { annotations }),
            },
          }),
        ),
      );
    },
  }),
  route('DELETE', '/api/v1/projects/{name}', {
    summary: 'Delete a project that no application uses.',
    tag: TAG,
    access: { resource: 'projects', action: 'delete', object: nameInPath },
    handle: async ({ services, path: { name } }) => {
      if (name === 'default') throw new ApiError('InvalidArgument', "name 'default' is reserved and cannot be deleted");
      const project = findProject(services, name);
      const users = services.applications.list().filter(({ spec }) => isObject(spec) && spec.project === name);
      if (users.length > 0)
        throw new ApiError('InvalidArgument', `project is referenced by ${users.length} applications`);
      await services.cluster.remove(
        APP_PROJECTS,
        { namespace: services.namespace, name },
        { uid: project.metadata.uid ?? '' },
      );
      return json({});
    },
  }),
  route('GET', '/api/v1/projects/{name}/syncwindows', {
    summary: 'The sync windows of a project.',
    tag: TAG,
    access: { resource: 'projects', action: 'get', object: nameInPath },
    handle: ({ services, path: { name } }) => {
      const spec = own(findProject(services, name), 'spec');
      const windows = isObject(spec) && isArray(spec.syncWindows) ? spec.syncWindows : [];
      return json(windows.length === 0 ? {} : { windows });
    },
  }),
  route('GET', '/api/v1/projects/{name}/events', {
    summary: 'Events about a project.',
    tag: TAG,
    access: { resource: 'projects', action: 'get', object: nameInPath },
    handle: async ({ services, path: { name } }) => {
      const { uid = '' } = findProject(services, name).metadata;
      return json({ metadata: {}, items: await eventsAbout(services.cluster, services.namespace, name, uid) });
    },
  }),
  route('GET', '/api/v1/projects/{name}/globalprojects', {
    summary: 'The global projects that apply to a project.',
    tag: TAG,
    access: { resource: 'projects', action: 'get', object: nameInPath },
    handle: ({ services, path: { name } }) =>
      json({ items: services.projects.globalProjectsOf(findProject(services, name)).map(projectView) }),
  }),
];
