import type { ClusterSummary, ControlServices } from '../../../control/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import { json, ApiError } from '../../http/index.js';
import { route, type Input, type Route, text } from '../../route/index.js';

export const TAG = 'clusters';

/** In policies a cluster of a project is `project/server`. */
export function clusterName({ server, project }: Pick<ClusterSummary, 'server' | 'project'>): string {
  return project === '' ? server : `${project}/${server}`;
}

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
  return {
    server,
    name,
    config: { tlsClientConfig: { insecure: false } },
    connectionState,
    ...(version === '' ? {} : { serverVersion: version }),
    ...(namespaces.length === 0 ? {} : { namespaces: [...namespaces] }),
    info: {
      connectionState,
      ...(version === '' ? {} : { serverVersion: version }),
      cacheInfo: { resourcesCount: resources, apisCount: kinds },
      applicationsCount: applications,
    },
    ...(project === '' ? {} : { project }),
    ...(shard === undefined ? {} : { shard }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** By its address, or by its name where the request says so. */
export function findCluster(
  services: ControlServices,
  { path, query }: Pick<Input, 'path' | 'query'>,
): ClusterSummary | undefined {
  const value = path['id'] ?? '';
  return services.clusters.summaries.find(({ server, name }) =>
    query['id.type'] === 'name'
      ? name === value
      : server.replace(/(?<!\/)\/+$/, '') === value.replace(/(?<!\/)\/+$/, ''),
  );
}

export const CLUSTER_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/clusters', {
    summary: 'List the destination clusters that the caller may see.',
    tag: TAG,
    access: { resource: 'clusters', action: 'get', object: 'each' },
    query: { server: text(), name: text(), 'id.type': text(), 'id.value': text() },
    handle: ({ services, may, query: { server = '', name = '' } }) =>
      json({
        metadata: {},
        items: services.clusters.summaries
          .filter(
            (cluster) =>
              (server === '' || cluster.server === server) &&
              (name === '' || cluster.name === name) &&
              may('clusters', 'get', clusterName(cluster)),
          )
          .map(clusterView),
      }),
  }),
  route('GET', '/api/v1/clusters/{id}', {
    summary: 'One cluster.',
    tag: TAG,
    access: { resource: 'clusters', action: 'get', object: 'each' },
    query: { server: text(), name: text(), 'id.type': text('name or url') },
    handle: ({ services, may, path, query }) => {
      const found = findCluster(services, { path, query });
      // Whoever may not see it does not learn whether it is there.
      if (found === undefined || !may('clusters', 'get', clusterName(found)))
        throw new ApiError('PermissionDenied', 'permission denied');
      return json(clusterView(found));
    },
  }),
  route('POST', '/api/v1/clusters/{id}/invalidate-cache', {
    summary: 'Invalidate the cache of a cluster.',
    tag: TAG,
    access: { resource: 'clusters', action: 'update', object: 'each' },
    query: { 'id.type': text('name or url') },
    handle: async ({ services, may, path, query }) => {
      const found = findCluster(services, { path, query });
      if (found === undefined || !may('clusters', 'update', clusterName(found)))
        throw new ApiError('PermissionDenied', 'permission denied');
      await services.clusters.refresh(found.server);
      return json(clusterView(found));
    },
  }),
];
