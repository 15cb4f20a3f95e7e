import { isIgnoredOrphan, keyOf, type Key } from '../../model/index.js';
import type { Admitted } from './admit.js';
import type { ClusterView } from './cluster-view.js';
import type { Condition } from './condition.js';

type Place = Pick<Admitted, 'project' | 'application'> & { readonly view: ClusterView };

/** Objects of the destination namespace that no application has, where the project asks for them. */
export function orphansOf({ project, view, application }: Place): Key[] {
  if (project.orphanedResources === undefined || application.destination.namespace === '') return [];
  return view
    .inNamespace(application.destination.namespace)
    .filter((object) => (object.metadata.ownerReferences ?? []).length === 0 && !view.isTracked(object))
    .map(keyOf)
    .filter((key) => !isIgnoredOrphan(project, key));
}

export function orphanConditions(pass: Place): Condition[] {
  if (pass.project.orphanedResources?.warn !== true) return [];
  const orphans = orphansOf(pass);
  return orphans.length === 0
    ? []
    : [{ type: 'OrphanedResourceWarning', message: `Application has ${orphans.length} orphaned resources` }];
}
