import { Fault } from '../../model/faults/index.js';
import { syncAccountOf } from '../../model/argo/index.js';
import type { Cluster } from '../../cluster/index.js';
import type { ClusterCache } from '../cache/index.js';
import type { Admitted } from './admission.js';
import type { ReconcileContext } from './reconcile-context.js';

/** With whose rights the objects of an application are changed, and dry runs are asked for. */
export type DeliveryRights =
  /** Empty: the controller's own, because nothing is impersonated. */
  | { readonly kind: 'granted'; readonly cluster: Cluster; readonly user: string; readonly isFallback: boolean }
  | { readonly kind: 'none'; readonly message: string }
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * With `application.sync.impersonation.enabled` the service account that the project names for the destination. Where
 * it names none nothing is changed, unless `application.sync.impersonation.enforced` is off.
 */
export function deliveryRights(
  { application, project, destination }: Admitted,
  clusterCache: ClusterCache,
  { controlPlane }: Pick<ReconcileContext, 'controlPlane'>,
): DeliveryRights {
  const { isEnabled, isEnforced } = controlPlane.settings.impersonation;
  const own = { kind: 'granted', cluster: clusterCache.cluster, user: '' } as const;
  if (!isEnabled) return { ...own, isFallback: false };
  const { server, namespace } = destination;
  const account = syncAccountOf(project, { server, namespace, applicationNamespace: application.namespace });
  if (account.kind === 'invalid') return account;
  if (account.kind === 'none')
    return isEnforced
      ? {
          kind: 'none',
          message: `no matching service account found for destination server ${server} and namespace ${namespace}`,
        }
      : { ...own, isFallback: true };
  const { user } = account;
  return { kind: 'granted', cluster: own.cluster.as({ user, groups: [], extra: [] }), user, isFallback: false };
}

/** The destination with these rights, or a Fault in the words of Argo CD; `purpose` is what they are needed for. */
export function requireRights(rights: DeliveryRights, purpose: string): Cluster {
  if (rights.kind === 'granted') return rights.cluster;
  const reason = rights.kind === 'none' ? '' : 'error deriving service account to impersonate: ';
  throw new Fault('OPERATION_REFUSED', `${purpose}: ${reason}${rights.message}`, {
    hint: 'name a service account for the destination in spec.destinationServiceAccounts of the project',
  });
}
