import { ClusterError, type ControlServices } from '../../../control/index.js';
import { compareText } from '../../../model/go/index.js';
import { Fault } from '../../../model/faults/index.js';
import { type JsonObject, isObject, objectsAt, textAt } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { rbacName } from '../../access/index.js';
import { json, ApiError } from '../../http/index.js';
import { route, type Context, type Input, type Route, anyObject, flag, list, text } from '../../route/index.js';
import { APPLICATION_SETS } from '../../../model/resources/index.js';

export const TAG = 'applicationsets';

export function setView({ metadata: { managedFields: _, ...metadata }, spec, status }: KubeObject): JsonObject {
  return { metadata, spec: spec ?? {}, status: isObject(status) ? status : {} };
}

/** A set belongs to the project that its template names. */
export function projectOf(set: KubeObject | JsonObject): string {
  return textAt(set, 'spec', 'template', 'spec', 'project') || 'default';
}

export function rbacNameOf(set: KubeObject, services: ControlServices): string {
  return rbacName(services.namespace, projectOf(set), set.metadata.namespace ?? '', set.metadata.name ?? '');
}

export async function findSet(services: ControlServices, name: string, namespace: string): Promise<KubeObject> {
  const where = namespace === '' ? services.namespace : namespace;
  const set = services.applications.isApplicationNamespace(where)
    ? await services.cluster.get(APPLICATION_SETS, { namespace: where, name })
    : undefined;
  if (set === undefined) throw new ApiError('PermissionDenied', 'permission denied');
  return set;
}

const inBody = ({ body, controlNamespace }: Input): string => {
  const { metadata } = body as { metadata?: { name?: unknown; namespace?: unknown } };
  return rbacName(
    controlNamespace,
    projectOf(body as JsonObject),
    typeof metadata?.namespace === 'string' ? metadata.namespace : '',
    typeof metadata?.name === 'string' ? metadata.name : '',
  );
};

/**
 * Templates of generators may name further projects. Which ones a templated name would mean, nobody knows before the
 * set is at work.
 */
function checkProjects(set: KubeObject, { services, must }: Pick<Context, 'services' | 'must'>): void {
  const named = [
    projectOf(set),
    ...objectsAt(set, 'spec', 'generators').flatMap((generator) =>
      Object.values(generator).flatMap((body) => (isObject(body) ? textAt(body, 'template', 'spec', 'project') : [])),
    ),
  ];
  for (const project of new Set(named)) {
    if (project.includes('{{'))
      throw new ApiError('InvalidArgument', 'the API does not support ApplicationSets with templated `project` fields');
    if (project !== '')
      must(
        'applicationsets',
        'create',
        rbacName(services.namespace, project, set.metadata.namespace ?? '', set.metadata.name ?? ''),
      );
  }
}

function generatedFrom(body: unknown): JsonObject {
  return isObject(body) && isObject(body.applicationSet) ? body.applicationSet : {};
}

function withNamespace({ metadata, spec }: JsonObject, services: ControlServices): KubeObject {
  const given = isObject(metadata) ? metadata : {};
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: {
      ...given,
      namespace: typeof given.namespace === 'string' && given.namespace !== '' ? given.namespace : services.namespace,
    },
    spec: isObject(spec) ? spec : {},
  };
}

export const APPLICATION_SET_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applicationsets', {
    summary: 'List the ApplicationSets that the caller may see.',
    tag: TAG,
    access: { resource: 'applicationsets', action: 'get', object: 'each' },
    query: { projects: list(text()), selector: text(), appsetNamespace: text() },
    handle: async ({ services, may, query: { projects = [], selector, appsetNamespace = '' } }) => {
      const where = appsetNamespace === '' ? services.namespace : appsetNamespace;
      const { items } = services.applications.isApplicationNamespace(where)
        ? await services.cluster.list(APPLICATION_SETS, { namespace: where, labelSelector: selector })
        : { items: [] };
      const visible = items.filter(
        (set) =>
          (projects.length === 0 || projects.includes(projectOf(set))) &&
          may('applicationsets', 'get', rbacNameOf(set, services)),
      );
      return json({
        metadata: {},
        items: visible.sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? '')).map(setView),
      });
    },
  }),
  route('GET', '/api/v1/applicationsets/{name}', {
    summary: 'One ApplicationSet.',
    tag: TAG,
    access: { resource: 'applicationsets', action: 'get', object: 'each' },
    query: { appsetNamespace: text() },
    handle: async ({ services, may, path: { name }, query: { appsetNamespace = '' } }) => {
      const set = await findSet(services, name, appsetNamespace);
      if (!may('applicationsets', 'get', rbacNameOf(set, services)))
        throw new ApiError('PermissionDenied', 'permission denied');
      return json(setView(set));
    },
  }),
  route('POST', '/api/v1/applicationsets', {
    summary: 'Create an ApplicationSet.',
    tag: TAG,
    access: { resource: 'applicationsets', action: 'create', object: inBody },
    query: { upsert: flag(), dryRun: flag() },
    body: anyObject('An ApplicationSet.'),
    handle: async ({ body, services, must, query: { upsert, dryRun } }) => {
      const set = withNamespace(
        { ...body, metadata: { ...(isObject(body.metadata) ? body.metadata : {}), namespace: services.namespace } },
        services,
      );
      checkProjects(set, { services, must });
      try {
        return json(setView(await services.cluster.create(APPLICATION_SETS, set, { dryRun: dryRun === true })));
      } catch (error) {
        if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
      }
      if (upsert !== true)
        throw new ApiError(
          'InvalidArgument',
          'existing ApplicationSet spec is different, use upsert flag to force update',
        );
      // The one that is there may belong to another project, whose applications would be deleted.
      const existing = await findSet(services, set.metadata.name ?? '', '');
      for (const each of [existing, set]) must('applicationsets', 'update', rbacNameOf(each, services));
      return json(
        setView(
          await services.cluster.patch(
            APPLICATION_SETS,
            { namespace: services.namespace, name: set.metadata.name ?? '' },
            {
              type: 'json',
              body: [
                { op: 'test', path: '/metadata/resourceVersion', value: existing.metadata.resourceVersion ?? '' },
                { op: 'replace', path: '/spec', value: isObject(body.spec) ? body.spec : {} },
              ],
            },
            { dryRun: dryRun === true },
          ),
        ),
      );
    },
  }),
  route('POST', '/api/v1/applicationsets/generate', {
    summary: 'The Applications that an ApplicationSet would generate; nothing is written.',
    tag: TAG,
    access: {
      resource: 'applicationsets',
      action: 'create',
      object: (input) => inBody({ ...input, body: generatedFrom(input.body) }),
    },
    body: anyObject('`applicationSet` is the ApplicationSet.'),
    handle: async ({ body, services, must }) => {
      const set = withNamespace(generatedFrom(body), services);
      checkProjects(set, { services, must });
      if (!services.applications.isApplicationNamespace(set.metadata.namespace ?? ''))
        throw new ApiError('PermissionDenied', 'permission denied');
      try {
        return json({ applications: await services.applications.generate(set) });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        throw new ApiError('InvalidArgument', `unable to generate Applications of ApplicationSet: ${error.message}`);
      }
    },
  }),
  route('DELETE', '/api/v1/applicationsets/{name}', {
    summary: 'Delete an ApplicationSet.',
    tag: TAG,
    access: { resource: 'applicationsets', action: 'delete', object: 'each' },
    query: { appsetNamespace: text() },
    handle: async ({ services, must, path: { name }, query: { appsetNamespace = '' } }) => {
      const set = await findSet(services, name, appsetNamespace);
      must('applicationsets', 'delete', rbacNameOf(set, services));
      await services.cluster.remove(
        APPLICATION_SETS,
        { namespace: set.metadata.namespace ?? '', name },
        { uid: set.metadata.uid ?? '' },
      );
      return json({});
    },
  }),
];
