import { isIgnoredOrphan } from '../../model/argo/index.js';
import { keyOf, type Key } from '../../model/kubernetes/index.js';
import type { Admitted } from './admission.js';
import type { ClusterCache } from '../cache/index.js';
import type { Condition } from '../comparison/index.js';

type OrphanScope = Pick<Admitted, 'project' | 'application'> & { readonly clusterCache: ClusterCache };

/** Objects of the destination namespace that belong to no application, if the project monitors them. */
export function orphansOf({ project, clusterCache, application }: OrphanScope): Key[] {
  if (project.orphanedResources === undefined || application.destination.namespace === '') return [];
  return clusterCache
    .inNamespace(application.destination.namespace)
    .filter((object) => (object.metadata.ownerReferences ?? []).length === 0 && !clusterCache.isTracked(object))
    .map(keyOf)
    .filter((key) => !isIgnoredOrphan(project, key));
}

export function orphanConditions(scope: OrphanScope): Condition[] {
  if (scope.project.orphanedResources?.warn !== true) return [];
  const orphans = orphansOf(scope);
  return orphans.length === 0
    ? []
    : [{ type: 'OrphanedResourceWarning', message: `Application has ${orphans.length} orphaned resources` }];
}
