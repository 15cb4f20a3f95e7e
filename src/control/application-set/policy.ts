import { textAt, valueAt } from '../../model/json/index.js';
import type { ApplicationSetSettings } from '../../model/settings/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** What a set may do to Applications that are there; missing ones it may always create. */
export interface SetPolicy {
  readonly mayUpdate: boolean;
  readonly mayDelete: boolean;
  /** What an Application delivered stays when the Application goes. */
  readonly preservesResources: boolean;
}

/** As the administrator says, else as the set says, else everything. */
export function policyOf(set: KubeObject, { policy: decided }: Pick<ApplicationSetSettings, 'policy'>): SetPolicy {
  const policy = decided ?? (textAt(set, 'spec', 'syncPolicy', 'applicationsSync') || 'sync');
  return {
    mayUpdate: policy === 'sync' || policy === 'create-update',
    mayDelete: policy === 'sync' || policy === 'create-delete',
    preservesResources: valueAt(set, 'spec', 'syncPolicy', 'preserveResourcesOnDeletion') === true,
  };
}
