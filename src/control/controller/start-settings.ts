import type { Cluster, ClientDependencies } from '../../cluster/index.js';
import type { ApplicationController } from './application-controller.js';
import { AuditTrail, EventRecorder } from '../telemetry/index.js';
import { readableScope } from './readable-scope.js';
import { SettingsOperator } from '../settings/index.js';
import { NO_AUDIT, type Audit } from '../../audit/index.js';
import type { Logger } from '../../model/logging/index.js';
import { ARGOCDS } from '../../model/resources/index.js';

interface OperatorHost {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly namespace: string;
  readonly log: Logger;
  readonly audit?: Audit;
}

/** The settings operator of a controller: same cluster and leadership. Undefined if ArgoCD objects may not be read. */
export async function startSettings(
  { cluster, world, namespace, log, audit = NO_AUDIT }: OperatorHost,
  controller: ApplicationController,
): Promise<SettingsOperator | undefined> {
  const scope = await readableScope(cluster, ARGOCDS, namespace, ['everywhere', 'here'], log);
  if (scope === undefined) return undefined;
  const events = new EventRecorder({ cluster, clock: world.clock, log, audit: new AuditTrail(audit, namespace) });
  return new SettingsOperator({
    cluster,
    world,
    namespace: scope === 'everywhere' ? undefined : namespace,
    events,
    log,
    mayWrite: () => controller.state.isDelivering,
  });
}
