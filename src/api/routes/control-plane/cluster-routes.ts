import type { ClusterSummary } from '../../../control/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import { CLUSTER } from '../../access/index.js';
import { json } from '../../http/index.js';
import { route, type Input, type ReadServices, type Route, text } from '../../route/index.js';

export const TAG = 'clusters';

/** How to get in is nobody's business. */
export function clusterView({
  server,
  name,
  project,
  shard,
  state,
  message,
  version,
  resources,
  kinds,
  namespaces,
  labels,
  annotations,
  applications,
}: ClusterSummary): JsonObject {
  const connectionState = { status: state, message, attemptedAt: null };
  const serverVersion = /^\d/.test(version) ? `v${version}` : version;
  const { 'managed-by': _, ...shown } = annotations;
  return {
    server,
    name,
    config: { tlsClientConfig: { insecure: false } },
    connectionState,
    ...(version === '' ? {} : { serverVersion }),
    ...(namespaces.length === 0 ? {} : { namespaces: [...namespaces] }),
    info: {
      connectionState,
      ...(version === '' ? {} : { serverVersion }),
      cacheInfo: { resourcesCount: resources, apisCount: kinds },
      applicationsCount: applications,
    },
    ...(project === '' ? {} : { project }),
    ...(shard === undefined ? {} : { shard }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(shown).length === 0 ? {} : { annotations: shown }),
  };
}

/** How a request names a cluster beside its path: what kind of name that is, or in calls the address or the name. */
export const CLUSTER_ID = { server: text(), name: text(), 'id.type': text('name or url') };

/** By its address, or by its name where the request says so. */
export function findCluster(
  services: ReadServices,
  { path, query }: Pick<Input, 'path' | 'query'>,
): ClusterSummary | undefined {
  const { server: address = '', name: called = '' } = query;
  const id = path['id'] ?? '';
  const isName = id === '' ? address === '' : query['id.type'] === 'name';
  const value = id || String(address) || String(called);
  return services.clusters.summaries.find(({ server, name }) =>
    isName ? name === value : server.replace(/(?<!\/)\/+$/, '') === value.replace(/(?<!\/)\/+$/, ''),
  );
}

/** The cluster in the path of the request; the handler gets it. Others do not learn whether it is there. */
export const clusterAccess = (action: string) =>
  ({
    kind: CLUSTER,
    action,
    find: (input: Input, services: ReadServices) => findCluster(services, input),
  }) as const;

function isOwn({ clusters }: ReadServices, { server }: ClusterSummary): boolean {
  return !clusters.records.some((record) => record.server === server);
}

export const CLUSTER_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/clusters', {
    summary: 'List the destination clusters that the caller may see.',
    tag: TAG,
    access: { each: CLUSTER, action: 'get' },
    query: { ...CLUSTER_ID, 'id.value': text() },
    handle: ({ services, authoriser, query: { server = '', name = '' } }) =>
      json({
        metadata: {},
        items: authoriser
          .visible(CLUSTER, services.clusters.summaries)
          // Our own comes last, unless somebody described it.
          .toSorted((a, b) => Number(isOwn(services, a)) - Number(isOwn(services, b)))
          .filter((cluster) => (server === '' || cluster.server === server) && (name === '' || cluster.name === name))
          .map(clusterView),
      }),
  }),
  route('GET', '/api/v1/clusters/{id}', {
    summary: 'One cluster.',
    tag: TAG,
    access: clusterAccess('get'),
    query: CLUSTER_ID,
    handle: ({ object }) => json(clusterView(object)),
  }),
  route('POST', '/api/v1/clusters/{id}/invalidate-cache', {
    summary: 'Invalidate the cache of a cluster.',
    tag: TAG,
    access: clusterAccess('update'),
    query: CLUSTER_ID,
    handle: async ({ object, services }) => {
      await services.clusters.refresh(object.server);
      return json(clusterView(object));
    },
  }),
];
