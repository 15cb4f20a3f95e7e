import { Fault } from '../../../model/faults/index.js';
import { equal, isArray, isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { parseAppProject, requireSyncAccounts } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { PROJECT, projectRoles, type ProjectToken } from '../../access/index.js';
import { json, ApiError } from '../../http/index.js';
import { route, type Input, type ReadServices, type Route, anyObject, fields, flag, text } from '../../route/index.js';
import { eventsAbout } from '../shared/events-about.js';
import { APP_PROJECTS } from '../../../model/resources/index.js';

export const TAG = 'projects';

/** The project in the path of the request, by name alone. */
export const projectAccess = (action: string) =>
  ({ kind: PROJECT, action, describe: ({ path }: Input) => named(path['name'] ?? '') }) as const;

function named(name: string): KubeObject {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name } };
}

/** Without kind. The tokens of roles, of which nobody has more than when they were made, are told with each role. */
function projectView(project: KubeObject): JsonObject {
  const {
    metadata: { managedFields: _, ...metadata },
    spec,
    status,
  } = project;
  return {
    metadata,
    spec: isObject(spec) ? withTokens(spec, projectRoles(project)) : {},
    ...(isObject(status) ? { status } : { status: {} }),
  };
}

function withTokens(spec: JsonObject, { tokens }: ReturnType<typeof projectRoles>): JsonObject {
  const roles = own(spec, 'roles');
  if (!isArray(roles)) return spec;
  const told = roles.map((role) => {
    const kept = isObject(role) && typeof role.name === 'string' ? tokens(role.name) : [];
    if (!isObject(role) || kept.length === 0) return role;
    return { ...role, jwtTokens: kept.map(jwtToken) };
  });
  return { ...spec, roles: told };
}

/**
 * As it will be with another spec. Tokens are made and deleted elsewhere: what a client sends of them is left out,
 * those of roles that stay are kept in the status, and those of roles that go are gone, also if such a role is made
 * again.
 */
function withSpec(project: KubeObject, spec: JsonObject): KubeObject {
  const roles = own(spec, 'roles');
  const stripped = isArray(roles) ? { ...spec, roles: roles.map(withoutJwtTokens) } : spec;
  const after = { ...project, spec: stripped };
  const { tokens } = projectRoles(project);
  const kept = projectRoles(after).roles.flatMap(({ name }) => {
    const items = tokens(name).map(jwtToken);
    return items.length === 0 ? [] : [[name, { items }] as const];
  });
  const { status } = project;
  const before = isObject(status) ? status : {};
  if (kept.length === 0 && own(before, 'jwtTokensByRole') === undefined) return after;
  return { ...after, status: { ...before, jwtTokensByRole: Object.fromEntries(kept) } };
}

function withoutJwtTokens(role: Json): Json {
  if (!isObject(role)) return role;
  const { jwtTokens: _, ...rest } = role;
  return rest;
}

function jwtToken({ id, issuedAt, expiresAt }: ProjectToken): JsonObject {
  return { iat: issuedAt, ...(expiresAt === 0 ? {} : { exp: expiresAt }), ...(id === '' ? {} : { id }) };
}

export function findProject(services: ReadServices, name: string): KubeObject {
  const project = services.projects.findObject(name);
  if (project === undefined) throw new ApiError('NotFound', `appprojects.argoproj.io "${name}" not found`);
  return project;
}

/** As it is now, to be changed. */
function readProject({ cluster, namespace }: ReadServices, name: string): Promise<KubeObject | undefined> {
  return cluster.get(APP_PROJECTS, { namespace, name });
}

function projectOf(body: { readonly project: JsonObject | undefined }, services: ReadServices): KubeObject {
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
  mustBeUnique(project);
  try {
    requireSyncAccounts(parseAppProject(project));
  } catch (error) {
    if (error instanceof Fault) throw new ApiError('InvalidArgument', `error validating project: ${error.message}`);
    throw error;
  }
  return project;
}

/** Each role once, and in it each policy and each group. */
function mustBeUnique(project: KubeObject): void {
  const { roles } = projectRoles(project);
  const second = (names: readonly string[]): string | undefined =>
    names.find((name, index) => names.indexOf(name) !== index);
  const role = second(roles.map(({ name }) => name));
  if (role !== undefined) throw new ApiError('AlreadyExists', `role '${role}' already exists`);
  for (const { name, policies, groups } of roles) {
    const [policy, group] = [second(policies), second(groups)];
    if (policy !== undefined)
      throw new ApiError('AlreadyExists', `policy '${policy}' already exists for role '${name}'`);
    if (group !== undefined) throw new ApiError('AlreadyExists', `group '${group}' already exists for role '${name}'`);
  }
}

const PROJECT_BODY = fields({ project: anyObject('An AppProject.'), upsert: flag() });
const inBody = ({ body }: Input): KubeObject => {
  const { project } = body as { project?: { metadata?: { name?: unknown } } };
  return named(typeof project?.metadata?.name === 'string' ? project.metadata.name : '');
};

export const PROJECT_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/projects', {
    summary: 'List the projects that the caller may see.',
    tag: TAG,
    access: { each: PROJECT, action: 'get' },
    query: { name: text() },
    handle: ({ services, authoriser, query: { name = '' } }) =>
      json({
        metadata: {},
        items: authoriser
          .visible(PROJECT, services.projects.objects())
          .filter(({ metadata }) => name === '' || metadata.name === name)
          .map(projectView),
      }),
  }),
  route('POST', '/api/v1/projects', {
    summary: 'Create a project.',
    tag: TAG,
    access: { kind: PROJECT, action: 'create', describe: inBody },
    body: PROJECT_BODY,
    handle: async ({ body, services, authoriser }) => {
      const wanted = projectOf(body, services);
      const existing = await readProject(services, wanted.metadata.name ?? '');
      if (existing === undefined)
        return json(
          projectView(await authoriser.create(PROJECT, withSpec(wanted, isObject(wanted.spec) ? wanted.spec : {}))),
        );
      // Who makes the same once more has what they want.
      if (equal(existing.spec ?? {}, wanted.spec ?? {})) return json(projectView(existing));
      if (body.upsert !== true)
        throw new ApiError('InvalidArgument', 'existing project spec is different; use upsert flag to force update');
      return json(
        projectView(
          await authoriser.update(PROJECT, existing, withSpec(existing, isObject(wanted.spec) ? wanted.spec : {})),
        ),
      );
    },
  }),
  route('GET', '/api/v1/projects/{name}', {
    summary: 'One project.',
    tag: TAG,
    access: projectAccess('get'),
    handle: ({ services, path: { name } }) => json(projectView(findProject(services, name))),
  }),
  route('GET', '/api/v1/projects/{name}/detailed', {
    summary: 'A project with its repositories, clusters and global projects.',
    tag: TAG,
    access: projectAccess('get'),
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
    access: projectAccess('update'),
    body: PROJECT_BODY,
    handle: async ({ body, services, authoriser, path: { name } }) => {
      const wanted = projectOf(
        {
          project: {
            ...body.project,
            metadata: { ...(isObject(body.project?.metadata) ? body.project.metadata : {}), name },
          },
        },
        services,
      );
      const current = await readProject(services, name);
      if (current === undefined) throw new ApiError('NotFound', `appprojects.argoproj.io "${name}" not found`);
      const { labels, annotations } = wanted.metadata;
      return json(
        projectView(
          await authoriser.update(PROJECT, current, {
            ...withSpec(current, isObject(wanted.spec) ? wanted.spec : {}),
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
    access: projectAccess('delete'),
    handle: async ({ services, authoriser, path: { name } }) => {
      if (name === 'default') throw new ApiError('InvalidArgument', "name 'default' is reserved and cannot be deleted");
      const project = findProject(services, name);
      const users = services.applications.list().filter(({ spec }) => isObject(spec) && spec.project === name);
      if (users.length > 0)
        throw new ApiError('InvalidArgument', `project is referenced by ${users.length} applications`);
      await authoriser.remove(PROJECT, project);
      return json({});
    },
  }),
  route('GET', '/api/v1/projects/{name}/syncwindows', {
    summary: 'The sync windows of a project.',
    tag: TAG,
    access: projectAccess('get'),
    handle: ({ services, path: { name } }) => {
      const spec = own(findProject(services, name), 'spec');
      const windows = isObject(spec) && isArray(spec.syncWindows) ? spec.syncWindows : [];
      return json(windows.length === 0 ? {} : { windows });
    },
  }),
  route('GET', '/api/v1/projects/{name}/events', {
    summary: 'Events about a project.',
    tag: TAG,
    access: projectAccess('get'),
    handle: async ({ services, path: { name } }) =>
      json({ metadata: {}, items: await eventsAbout(services, findProject(services, name)) }),
  }),
  route('GET', '/api/v1/projects/{name}/globalprojects', {
    summary: 'The global projects that apply to a project.',
    tag: TAG,
    access: projectAccess('get'),
    handle: ({ services, path: { name } }) =>
      json({ items: services.projects.globalProjectsOf(findProject(services, name)).map(projectView) }),
  }),
];
