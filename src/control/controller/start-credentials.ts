import type { Cluster, ClientDependencies } from '../../cluster/index.js';
import type { ApplicationController } from './application-controller.js';
import { EventRecorder } from '../telemetry/index.js';
import { CredentialsOperator } from '../credentials/index.js';
import type { Logger } from '../../model/logging/index.js';

interface OperatorHost {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly log: Logger;
}

/** The credentials operator of a controller: same cluster, leadership and settings. */
export function startCredentials(
  { cluster, world, log }: OperatorHost,
  controller: ApplicationController,
): CredentialsOperator {
  return new CredentialsOperator({
    cluster,
    world,
    log,
    events: new EventRecorder({ cluster, clock: world.clock, log }),
    mayWrite: () => controller.state.isDelivering,
    rules: () => controller.settings.fillRules,
  });
}
