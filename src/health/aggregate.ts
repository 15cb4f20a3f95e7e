import { gvkOf, type KubeObject } from '../model/kubernetes/index.js';
import { HEALTH_STATUSES, isHook, isSkipped, type Health, type HealthStatus } from '../model/argo/index.js';

/**
 * One resource of an application. `live` is missing where the cluster does not have it, `health` where nobody judges
 * its kind.
 */
export interface ManagedResource {
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly health?: Health;
}

export interface ApplicationHealth<Resource extends ManagedResource> {
  readonly status: HealthStatus;
  /** The resources that make it no better; empty for a healthy application. */
  readonly deciding: readonly Resource[];
}

const IGNORE_HEALTH = 'argocd.argoproj.io/ignore-healthcheck';

/**
 * The health of an application is the worst of its own resources, as Argo CD counts them: no hooks, nothing that is
 * skipped or asks to be ignored, not the application itself, and no resource that is only absent. An application of
 * which nothing is there is Missing.
 */
export function aggregateHealth<Resource extends ManagedResource>(
  resources: readonly Resource[],
  application?: KubeObject,
): ApplicationHealth<Resource> {
  const own = resources.filter(
    ({ target, live }) => !(target !== undefined && isSkipped(target)) && !(live !== undefined && isHook(live)),
  );
  const counted = own.filter((resource) => counts(resource, application));
  const worst = counted.reduce((rankSoFar, { health }) => Math.max(rankSoFar, rank(health)), 0);
  const missing = HEALTH_STATUSES.indexOf('Missing');
  if (own.length > 0 && own.every(({ live }) => live === undefined) && worst < missing)
    return { status: 'Missing', deciding: own };
  return {
    status: HEALTH_STATUSES[worst] ?? 'Unknown',
    deciding: worst === 0 ? [] : counted.filter(({ health }) => rank(health) === worst),
  };
}

function rank(health: Health | undefined): number {
  return health === undefined ? 0 : HEALTH_STATUSES.indexOf(health.status);
}

function counts({ live, health }: ManagedResource, application: KubeObject | undefined): boolean {
  if (live === undefined || health === undefined) return false;
  if (live.metadata.annotations?.[IGNORE_HEALTH] === 'true') return false;
  const { group, kind } = gvkOf(live);
  if (group !== 'argoproj.io' || kind !== 'Application') return true;
  if (live.metadata.uid !== undefined && live.metadata.uid === application?.metadata.uid) return false;
  // A child that does not know its own state says nothing about its parent.
  return health.status !== 'Missing' && health.status !== 'Unknown';
}
