import { ClusterError } from '../../../control/index.js';
import { compareText } from '../../../model/go/index.js';
import { Fault } from '../../../model/faults/index.js';
import { type Json, type JsonObject, equal, isObject, textAt } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { APPLICATION_SET, projectOfSet } from '../../access/index.js';
import { json, ApiError } from '../../http/index.js';
import { route, type Input, type ReadServices, type Route, anyObject, flag, list, text } from '../../route/index.js';
import { APPLICATION_SETS } from '../../../model/resources/index.js';

export const TAG = 'applicationsets';

export function setView({ metadata: { managedFields: _, ...metadata }, spec, status }: KubeObject): JsonObject {
  return { metadata, spec: spec ?? {}, status: isObject(status) ? status : {} };
}

/** One that exists, where sets may be. */
export async function findSet(
  services: ReadServices,
  name: string,
  namespace: string,
): Promise<KubeObject | undefined> {
  const where = namespace === '' ? services.namespace : namespace;
  return services.applications.isApplicationNamespace(where)
    ? services.cluster.get(APPLICATION_SETS, { namespace: where, name })
    : undefined;
}

/** The set in the path of the request; the handler gets it. */
export const setAccess = (action: string) =>
  ({
    kind: APPLICATION_SET,
    action,
    find: ({ path, query }: Input, services: ReadServices) => {
      const { appsetNamespace } = query;
      return findSet(services, path['name'] ?? '', typeof appsetNamespace === 'string' ? appsetNamespace : '');
    },
    // A client that is about to create one asks first; of sets that are not for them it learns the same.
    couldBe: ({ path }: Input, services: ReadServices): readonly KubeObject[] =>
      services.projects.objects().map(({ metadata: { name: project = '' } }) => ({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'ApplicationSet',
        metadata: { name: path['name'] ?? '', namespace: services.namespace },
        spec: { template: { spec: { project } } },
      })),
    absent: ({ path }: Input) => {
      const name = JSON.stringify(path['name'] ?? '');
      return action === 'delete'
        ? `error getting ApplicationSets: applicationsets.argoproj.io ${name} not found`
        : `error getting ApplicationSet: applicationset.argoproj.io ${name} not found`;
    },
  }) as const;

/** As it will be: the API writes sets to the namespace of the control plane. */
const inBody = (input: Input): KubeObject => setIn(input.body as Json, input.controlNamespace);

/** Which projects a templated name would mean, nobody knows before the set is at work. */
function rejectTemplates(set: KubeObject): void {
  if (APPLICATION_SET.namesOf(set, '').some((name) => name.slice(0, name.lastIndexOf('/')).includes('{{')))
    throw new ApiError('InvalidArgument', 'the API does not support ApplicationSets with templated `project` fields');
}

/** They would be made where the set is. */
function withoutNamespace(application: KubeObject): JsonObject {
  const { namespace: _, ...metadata } = application.metadata;
  return { ...application, metadata };
}

function generatedFrom(body: unknown): JsonObject {
  return isObject(body) && isObject(body.applicationSet) ? body.applicationSet : {};
}

function setIn(body: Json, namespace: string): KubeObject {
  const { metadata, spec } = isObject(body) ? body : {};
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { ...(isObject(metadata) ? metadata : {}), namespace },
    spec: isObject(spec) ? spec : {},
  };
}

/** One that is not written may be of any namespace. */
function setToGenerate({ body, controlNamespace }: Input): KubeObject {
  const given = generatedFrom(body);
  const namespace = textAt(given, 'metadata', 'namespace');
  return setIn(given, namespace === '' ? controlNamespace : namespace);
}

export const APPLICATION_SET_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applicationsets', {
    summary: 'List the ApplicationSets that the caller may see.',
    tag: TAG,
    access: { each: APPLICATION_SET, action: 'get' },
    query: { projects: list(text()), selector: text(), appsetNamespace: text() },
    handle: async ({ services, authoriser, query: { projects = [], selector, appsetNamespace = '' } }) => {
      const where = appsetNamespace === '' ? services.namespace : appsetNamespace;
      const { items } = services.applications.isApplicationNamespace(where)
        ? await services.cluster.list(APPLICATION_SETS, { namespace: where, labelSelector: selector })
        : { items: [] };
      const visible = authoriser.visible(
        APPLICATION_SET,
        items.filter((set) => projects.length === 0 || projects.includes(projectOfSet(set))),
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
    access: setAccess('get'),
    query: { appsetNamespace: text() },
    handle: ({ object }) => json(setView(object)),
  }),
  route('POST', '/api/v1/applicationsets', {
    summary: 'Create an ApplicationSet.',
    tag: TAG,
    access: { kind: APPLICATION_SET, action: 'create', describe: inBody },
    query: { upsert: flag(), dryRun: flag() },
    body: anyObject('An ApplicationSet.'),
    handle: async ({ object: set, services, authoriser, query: { upsert, dryRun = false } }) => {
      rejectTemplates(set);
      try {
        return json(setView(await authoriser.create(APPLICATION_SET, set, { dryRun })));
      } catch (error) {
        if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
      }
      const existing = await findSet(services, set.metadata.name ?? '', '');
      if (existing === undefined) throw new ApiError('Aborted', 'the ApplicationSet is being deleted: try again');
      if (upsert !== true) {
        authoriser.mustFound(APPLICATION_SET, 'get', existing);
        if (equal(existing.spec ?? {}, set.spec ?? {})) return json(setView(existing));
        throw new ApiError(
          'InvalidArgument',
          'existing ApplicationSet spec is different, use upsert flag to force update',
        );
      }
      const wanted = { ...existing, spec: set.spec ?? {} };
      authoriser.must(APPLICATION_SET, 'update', set);
      return json(setView(await authoriser.update(APPLICATION_SET, existing, wanted, { dryRun })));
    },
  }),
  route('POST', '/api/v1/applicationsets/generate', {
    changes: false,
    summary: 'The Applications that an ApplicationSet would generate; nothing is written.',
    tag: TAG,
    access: { kind: APPLICATION_SET, action: 'create', describe: setToGenerate },
    body: anyObject('`applicationSet` is the ApplicationSet.'),
    handle: async ({ object: set, services }) => {
      rejectTemplates(set);
      if (!services.applications.isApplicationNamespace(set.metadata.namespace ?? ''))
        throw new ApiError('PermissionDenied', 'permission denied');
      try {
        return json({ applications: (await services.applications.generate(set)).map(withoutNamespace) });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        throw new ApiError('InvalidArgument', `unable to generate Applications of ApplicationSet: ${error.message}`);
      }
    },
  }),
  route('DELETE', '/api/v1/applicationsets/{name}', {
    summary: 'Delete an ApplicationSet.',
    tag: TAG,
    access: setAccess('delete'),
    query: { appsetNamespace: text() },
    handle: async ({ object, authoriser }) => {
      await authoriser.remove(APPLICATION_SET, object);
      return json({});
    },
  }),
];
