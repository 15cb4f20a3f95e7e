import type { Cluster, World } from '../../cluster/index.js';
import type { Controller } from '../delivery/controller.js';
import { EventTeller } from '../delivery/event-teller.js';
import { CredentialsOperator } from './credentials-operator.js';

interface Home {
  readonly cluster: Cluster;
  readonly world: World;
  readonly log: (line: string) => void;
}

/** The operator of credentials beside a controller: same cluster, same leadership, same settings. */
export function startCredentials({ cluster, world, log }: Home, controller: Controller): CredentialsOperator {
  return new CredentialsOperator({
    cluster,
    world,
    log,
    events: new EventTeller({ cluster, clock: world.clock, report: log }),
    mayWrite: () => controller.state.isDelivering,
    rules: () => controller.settings.fillRules,
  });
}
