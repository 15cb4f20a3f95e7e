import { type Cluster, ClusterError } from '../../cluster/index.js';
import type { ResourceRef } from '../../model/resources/index.js';
import type { Logger } from '../../model/logging/index.js';

type Scope = 'everywhere' | 'here';

/** The first of these scopes in which a kind may be read; undefined, and logged, if there is none. */
export async function readableScope(
  cluster: Cluster,
  kind: ResourceRef,
  namespace: string,
  scopes: readonly Scope[],
  log: Logger,
): Promise<Scope | undefined> {
  for (const scope of scopes) {
    try {
      await cluster.page(kind, { pageSize: 1, ...(scope === 'here' ? { namespace } : {}) });
      return scope;
    } catch (error) {
      // A kind that is not served yet may be served later.
      if (error instanceof ClusterError && error.isNotFound) return scope;
      if (!(error instanceof ClusterError) || error.status !== 403) throw error;
      if (scope === 'here') log.warn(`${kind.kind} objects are not watched`, { error });
    }
  }
  return undefined;
}
