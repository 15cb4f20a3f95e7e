import type { Cluster, ClientDependencies } from '../../cluster/index.js';
import type { ApplicationController } from './application-controller.js';
import { AuditTrail, EventRecorder } from '../telemetry/index.js';
import { CredentialsOperator } from '../credentials/index.js';
import { NO_AUDIT, type Audit } from '../../audit/index.js';
import type { Logger } from '../../model/logging/index.js';

interface OperatorHost {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly namespace: string;
  readonly log: Logger;
  readonly audit?: Audit;
}

/** The credentials operator of a controller: same cluster, leadership and settings. */
export function startCredentials(
  { cluster, world, namespace, log, audit = NO_AUDIT }: OperatorHost,
  controller: ApplicationController,
): CredentialsOperator {
  return new CredentialsOperator({
    cluster,
    world,
    log,
    events: new EventRecorder({ cluster, clock: world.clock, log, audit: new AuditTrail(audit, namespace) }),
    mayWrite: () => controller.state.isDelivering,
    rules: () => controller.settings.fillRules,
  });
}
