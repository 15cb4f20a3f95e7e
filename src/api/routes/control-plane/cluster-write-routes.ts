import { type ClusterSummary } from '../../../control/index.js';
import { clusterSecretName } from '../../../model/argo/index.js';
import { Fault } from '../../../model/faults/index.js';
import { isObject, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { CLUSTER, CLUSTER_SECRET } from '../../access/index.js';
import { json, ApiError } from '../../http/index.js';
import {
  route,
  type Context,
  type Fields,
  type Input,
  type ReadServices,
  type Route,
  anyObject,
  fields,
  flag,
  list,
  text,
  integer,
  type Values,
} from '../../route/index.js';
import { CLUSTER_ID, clusterAccess, clusterView, findCluster, TAG } from './cluster-routes.js';
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

/** Applications name clusters too: who takes the name of another one must be allowed to change that. */
function mustNameAlone(
  { services, authoriser }: Pick<Context, 'services' | 'authoriser'>,
  server: string,
  name: string,
): void {
  const others = services.clusters.summaries.filter((each) => each.name === name && each.server !== server);
  for (const other of others) authoriser.mustFound(CLUSTER, 'update', other);
}

/** Which cluster a Secret describes decides what answers: it is asked before anything is written. */
async function checked(services: ReadServices, secret: KubeObject): Promise<string> {
  try {
    return await services.clusters.check(secret);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new ApiError('InvalidArgument', `error getting server version: ${error.message}`);
  }
}

async function secretAt(services: ReadServices, server: string): Promise<KubeObject | undefined> {
  const record = services.clusters.records.find((each) => each.server === server);
  return record === undefined
    ? undefined
    : services.cluster.get(SECRETS, { namespace: services.namespace, name: record.secret });
}

function answer(services: ReadServices, server: string, given: ClusterFields, version: string): JsonObject {
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

const inBody = ({ body }: Input): { readonly server: string; readonly project: string } => {
  const { server = '', project = '' } = body as { server?: string; project?: string };
  return { server: normalizeServer(server), project };
};

function normalizeServer(server: string): string {
  return server.trim().replace(/(?<!\/)\/+$/, '');
}

async function create(
  { services, authoriser }: Pick<Context, 'services' | 'authoriser'>,
  given: ClusterFields,
  isUpsert: boolean,
): Promise<string> {
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
  // The cluster of this address may belong to another project than the one that the request names.
  const before = await secretAt(services, server);
  if (before !== undefined) authoriser.mustFound(CLUSTER_SECRET, isUpsert ? 'update' : 'get', before);
  mustNameAlone({ services, authoriser }, server, given.name ?? server);
  const version = await checked(services, wanted);
  if (before === undefined) await authoriser.create(CLUSTER_SECRET, wanted);
  else if (isUpsert || JSON.stringify(before.data) !== JSON.stringify(wanted.data)) {
    if (!isUpsert)
      throw new ApiError('InvalidArgument', 'existing cluster spec is different; use upsert flag to force update');
    await authoriser.update(CLUSTER_SECRET, before, {
      ...before,
      data: wanted.data ?? {},
      metadata: {
        ...before.metadata,
        labels: wanted.metadata.labels ?? {},
        annotations: wanted.metadata.annotations ?? {},
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
  {
    services,
    authoriser,
    object,
  }: Pick<Context<string, Fields, unknown, ClusterSummary>, 'services' | 'authoriser' | 'object'>,
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
  authoriser.mustChange(CLUSTER_SECRET, 'update', before, after);
  if (wanted.name !== undefined) mustNameAlone({ services, authoriser }, object.server, wanted.name);
  const version = await checked(services, after);
  await authoriser.update(CLUSTER_SECRET, before, after);
  return version;
}

function withoutSecret(server: string, hint: string): ApiError {
  return new ApiError('FailedPrecondition', `cluster ${server} is the one that Argosy runs in: ${hint}`);
}

export const CLUSTER_WRITE_ROUTES: readonly Route[] = [
  route('POST', '/api/v1/clusters', {
    summary: 'Add a destination cluster; it must be reachable.',
    tag: TAG,
    access: { kind: CLUSTER, action: 'create', describe: inBody },
    query: { upsert: flag() },
    body: fields(CLUSTER_FIELDS),
    handle: async (context) => {
      const {
        services,
        body,
        object,
        authoriser,
        query: { upsert = false },
      } = context;
      if (upsert) authoriser.must(CLUSTER, 'update', object);
      const existing = findCluster(services, { path: { id: object.server }, query: {} });
      if (existing !== undefined) authoriser.mustFound(CLUSTER, upsert ? 'update' : 'get', existing);
      return json(answer(services, object.server, body, await create(context, body, upsert)));
    },
  }),
  route('PUT', '/api/v1/clusters/{id}', {
    summary: 'Update a cluster; it must be reachable.',
    tag: TAG,
    access: clusterAccess('update'),
    query: { ...CLUSTER_ID, updatedFields: list(text()) },
    body: fields(CLUSTER_FIELDS),
    handle: async (context) => {
      const {
        services,
        body,
        object: { server },
        query,
      } = context;
      const before = await secretAt(services, server);
      if (before === undefined) throw withoutSecret(server, 'it has no Secret to change');
      return json(answer(services, server, body, await change(context, before, body, query.updatedFields ?? [])));
    },
  }),
  route('POST', '/api/v1/clusters/{id}/rotate-auth', {
    summary: 'A new token for the account that a cluster is reached with; the old one is worth nothing afterwards.',
    tag: TAG,
    access: clusterAccess('update'),
    query: CLUSTER_ID,
    handle: async ({ services, authoriser, object: { server } }) => {
      const secret = await secretAt(services, server);
      if (secret === undefined)
        throw new ApiError('InvalidArgument', `Cluster '${server}' does not use bearer token authentication`);
      await services.clusters.rotateToken(secret, (changed) => authoriser.update(CLUSTER_SECRET, secret, changed));
      return json({});
    },
  }),
  route('DELETE', '/api/v1/clusters/{id}', {
    summary: 'Remove a cluster from the configuration; nothing in it changes.',
    tag: TAG,
    access: clusterAccess('delete'),
    query: CLUSTER_ID,
    handle: async ({ services, authoriser, object: { server } }) => {
      const secret = await secretAt(services, server);
      if (secret === undefined)
        throw withoutSecret(server, 'set cluster.inClusterEnabled to false in argocd-cm to hide it');
      await authoriser.remove(CLUSTER_SECRET, secret);
      return json({});
    },
  }),
];
