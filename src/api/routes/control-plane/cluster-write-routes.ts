import { type ClusterSummary, type ControlServices } from '../../../control/index.js';
import { clusterSecretName } from '../../../model/argo/index.js';
import { Fault } from '../../../model/faults/index.js';
import { isObject, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { json, ApiError } from '../../http/index.js';
import {
  route,
  type Input,
  type Route,
  anyObject,
  fields,
  flag,
  list,
  text,
  integer,
  type Values,
} from '../../route/index.js';
import { clusterName, clusterView, findCluster, TAG } from './cluster-routes.js';
import { SECRETS } from '../../../model/resources/index.js';

const CLUSTER_FIELDS = {
  server: text(),
  name: text(),
  config: anyObject(),
  namespaces: list(text()),
  clusterResources: flag(),
  project: text(),
  shard: integer('', { min: 0, max: 9999 }),
  labels: anyObject(),
  annotations: anyObject(),
};
type ClusterFields = Values<typeof CLUSTER_FIELDS>;

const ID = { 'id.type': text('name or url') };
const SECRET_TYPE = 'argocd.argoproj.io/secret-type';

/** The fields of a Secret, as texts; undefined takes one away. */
function dataOf({
  server,
  name,
  config,
  namespaces,
  clusterResources,
  project,
  shard,
}: ClusterFields): Record<string, string | undefined> {
  return {
    ...(server === undefined ? {} : { server }),
    ...(name === undefined ? {} : { name }),
    ...(config === undefined ? {} : { config: JSON.stringify(config) }),
    ...(namespaces === undefined ? {} : { namespaces: namespaces.length === 0 ? undefined : namespaces.join(',') }),
    ...(clusterResources === undefined ? {} : { clusterResources: clusterResources ? 'true' : undefined }),
    ...(project === undefined ? {} : { project: project === '' ? undefined : project }),
    ...(shard === undefined ? {} : { shard: String(shard) }),
  };
}

function encoded(data: Readonly<Record<string, string | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      value === undefined ? null : Buffer.from(value).toString('base64'),
    ]),
  );
}

/** Programs are named by who starts us, never by a request. */
function rejectPrograms({ config }: ClusterFields): void {
  if (config !== undefined && own(config, 'execProviderConfig') !== undefined)
    throw new ApiError(
      'InvalidArgument',
      'config.execProviderConfig names a program: set it in the Secret of the cluster, the API does not accept it',
    );
}

function textsOf(values: JsonObject | undefined, what: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([key, value]) => {
      if (typeof value !== 'string') throw new ApiError('InvalidArgument', `${what}.${key} must be a string`);
      return [key, value];
    }),
  );
}

/** Which cluster a Secret describes decides what answers: it is asked before anything is written. */
async function checked(services: ControlServices, secret: KubeObject): Promise<string> {
  try {
    return await services.clusters.check(secret);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new ApiError('InvalidArgument', `error getting server version: ${error.message}`);
  }
}

async function secretAt(services: ControlServices, server: string): Promise<KubeObject | undefined> {
  const record = services.clusters.records.find((each) => each.server === server);
  return record === undefined
    ? undefined
    : services.cluster.get(SECRETS, { namespace: services.namespace, name: record.secret });
}

function answer(services: ControlServices, server: string, given: ClusterFields, version: string): JsonObject {
  const found = services.clusters.summaries.find((each) => each.server === server);
  const summary: ClusterSummary = found ?? {
    server,
    name: given.name ?? server,
    project: given.project ?? '',
    shard: given.shard,
    state: 'Successful',
    message: '',
    version,
    resources: 0,
    kinds: 0,
    namespaces: given.namespaces ?? [],
    labels: {},
    annotations: {},
    applications: 0,
  };
  return clusterView({
    ...summary,
    state: 'Successful',
    message: '',
    version,
    name: given.name ?? summary.name,
    project: given.project ?? summary.project,
  });
}

const inBody = ({ body }: Input): string => {
  const { server = '', project = '' } = body as { server?: string; project?: string };
  return clusterName({ server: normalizeServer(server), project });
};

function normalizeServer(server: string): string {
  return server.trim().replace(/(?<!\/)\/+$/, '');
}

async function create(services: ControlServices, given: ClusterFields, isUpsert: boolean): Promise<string> {
  const server = normalizeServer(given.server ?? '');
  if (!URL.canParse(server) || !/^https?:/.test(server))
    throw new ApiError('InvalidArgument', `server ${JSON.stringify(server)} is not an http or https address`);
  rejectPrograms(given);
  const wanted: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    data: encoded(
      Object.fromEntries(
        Object.entries(dataOf({ ...given, server, name: given.name ?? server, config: given.config ?? {} })).filter(
          ([, value]) => value !== undefined,
        ),
      ),
    ),
    metadata: {
      name: clusterSecretName(server),
      namespace: services.namespace,
      labels: { ...textsOf(given.labels, 'labels'), [SECRET_TYPE]: 'cluster' },
      annotations: { ...textsOf(given.annotations, 'annotations'), 'managed-by': 'argocd.argoproj.io' },
    },
  };
  const version = await checked(services, wanted);
  const before = await secretAt(services, server);
  if (before === undefined) await services.cluster.create(SECRETS, wanted);
  else if (JSON.stringify(before.data) !== JSON.stringify(wanted.data)) {
    if (!isUpsert)
      throw new ApiError('InvalidArgument', 'existing cluster spec is different; use upsert flag to force update');
    await services.cluster.update(SECRETS, {
      ...before,
      data: wanted.data ?? {},
      metadata: {
        ...before.metadata,
        labels: { ...before.metadata.labels, ...wanted.metadata.labels },
        annotations: { ...before.metadata.annotations, ...wanted.metadata.annotations },
      },
    });
  }
  return version;
}

/**
 * Only what is named, or all of it where nothing is. Who shows a cluster without its credentials and sends that back
 * would lock us out: it must answer first.
 */
async function change(
  services: ControlServices,
  before: KubeObject,
  given: ClusterFields,
  updatedFields: readonly string[],
): Promise<string> {
  rejectPrograms(given);
  const isWanted = (name: string): boolean => updatedFields.length === 0 || updatedFields.includes(name);
  const wanted = Object.fromEntries(
    Object.entries(given).filter(([name]) => name !== 'server' && isWanted(name)),
  ) as unknown as ClusterFields;
  const data = { ...(isObject(before.data) ? before.data : {}), ...encoded(dataOf(wanted)) };
  const kept: JsonObject = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
  const { labels = {}, annotations = {} } = before.metadata;
  const after: KubeObject = {
    ...before,
    data: kept,
    metadata: {
      ...before.metadata,
      labels: wanted.labels === undefined ? labels : { ...textsOf(wanted.labels, 'labels'), [SECRET_TYPE]: 'cluster' },
      annotations:
        wanted.annotations === undefined
          ? annotations
          : {
              ...textsOf(wanted.annotations, 'annotations'),
              ...(annotations['managed-by'] === undefined ? {} : { 'managed-by': annotations['managed-by'] }),
            },
    },
  };
  const version = await checked(services, after);
  await services.cluster.update(SECRETS, after);
  return version;
}

export const CLUSTER_WRITE_ROUTES: readonly Route[] = [
  route('POST', '/api/v1/clusters', {
    summary: 'Add a destination cluster; it must be reachable.',
    tag: TAG,
    access: { resource: 'clusters', action: 'create', object: inBody },
    query: { upsert: flag() },
    body: fields(CLUSTER_FIELDS),
    handle: async ({ services, body, must, query: { upsert = false } }) => {
      if (upsert)
        must('clusters', 'update', inBody({ path: {}, query: {}, body, controlNamespace: services.namespace }));
      // The cluster of this address may belong to another project than the one that the request names.
      const existing = findCluster(services, { path: { id: body.server ?? '' }, query: {} });
      if (existing !== undefined) must('clusters', upsert ? 'update' : 'get', clusterName(existing));
      return json(answer(services, normalizeServer(body.server ?? ''), body, await create(services, body, upsert)));
    },
  }),
  route('PUT', '/api/v1/clusters/{id}', {
    summary: 'Update a cluster; it must be reachable.',
    tag: TAG,
    access: { resource: 'clusters', action: 'update', object: 'each' },
    query: { ...ID, updatedFields: list(text()) },
    body: fields(CLUSTER_FIELDS),
    handle: async ({ services, body, may, must, path, query }) => {
      const found = findCluster(services, { path, query });
      if (found === undefined || !may('clusters', 'update', clusterName(found)))
        throw new ApiError('PermissionDenied', 'permission denied');
      // Who gives it to another project must be allowed to there, too.
      if (body.project !== undefined && body.project !== found.project)
        must('clusters', 'update', clusterName({ server: found.server, project: body.project }));
      const before = await secretAt(services, found.server);
      if (before === undefined)
        throw new ApiError(
          'FailedPrecondition',
          `cluster ${found.server} is the one that Argosy runs in: it has no Secret to change`,
        );
      return json(
        answer(services, found.server, body, await change(services, before, body, query.updatedFields ?? [])),
      );
    },
  }),
  route('DELETE', '/api/v1/clusters/{id}', {
    summary: 'Remove a cluster from the configuration; nothing in it changes.',
    tag: TAG,
    access: { resource: 'clusters', action: 'delete', object: 'each' },
    query: ID,
    handle: async ({ services, may, path, query }) => {
      const found = findCluster(services, { path, query });
      if (found === undefined || !may('clusters', 'delete', clusterName(found)))
        throw new ApiError('PermissionDenied', 'permission denied');
      const secret = await secretAt(services, found.server);
      if (secret === undefined)
        throw new ApiError(
          'FailedPrecondition',
          `cluster ${found.server} is the one that Argosy runs in: set cluster.inClusterEnabled to false in ` +
            'argocd-cm to hide it',
        );
      await services.cluster.remove(
        SECRETS,
        { namespace: services.namespace, name: secret.metadata.name ?? '' },
        { uid: secret.metadata.uid ?? '' },
      );
      return json({});
    },
  }),
];
