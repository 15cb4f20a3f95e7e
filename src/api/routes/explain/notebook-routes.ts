import { ClusterError } from '../../../control/index.js';
import { compareText } from '../../../model/go/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { EVERY_APPLICATION } from '../../access/index.js';
import { json, ApiError } from '../../http/index.js';
import { route, type ReadServices, type Route, text } from '../../route/index.js';
import { NOTEBOOK_VALIDATION_JOBS } from '../../../model/resources/index.js';

/** Jobs belong to no project, so only who may see every application sees them. */
const ALL_APPLICATIONS_ACCESS = { kind: EVERY_APPLICATION, action: 'get', describe: () => undefined } as const;

function jobView({ metadata: { managedFields: _, ...metadata }, ...rest }: KubeObject): JsonObject {
  return { ...rest, metadata };
}

async function jobs({ cluster }: ReadServices, namespace: string): Promise<KubeObject[]> {
  try {
    return (await cluster.list(NOTEBOOK_VALIDATION_JOBS, namespace === '' ? {} : { namespace })).items;
  } catch (error) {
    // A cluster without the kind has no such jobs.
    if (error instanceof ClusterError && error.isNotFound) return [];
    throw error;
  }
}

export const NOTEBOOK_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/notebooks', {
    summary: 'Notebook jobs.',
    tag: 'notebooks',
    access: ALL_APPLICATIONS_ACCESS,
    query: { namespace: text() },
    handle: async ({ services, query: { namespace = '' } }) =>
      json({
        items: (await jobs(services, namespace))
          .sort((a, b) =>
            compareText(
              `${a.metadata.namespace ?? ''}/${a.metadata.name ?? ''}`,
              `${b.metadata.namespace ?? ''}/${b.metadata.name ?? ''}`,
            ),
          )
          .map(jobView),
      }),
  }),
  route('GET', '/api/v1/notebooks/{namespace}/{name}', {
    summary: 'One notebook job with its cells.',
    tag: 'notebooks',
    access: ALL_APPLICATIONS_ACCESS,
    handle: async ({ services, path: { namespace, name } }) => {
      const job = await services.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace, name });
      if (job === undefined) throw new ApiError('NotFound', `notebook "${name}" not found in namespace ${namespace}`);
      return json(jobView(job));
    },
  }),
];
