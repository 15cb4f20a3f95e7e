import { inProcessClient } from '../controller-runtime/index.js';
import type { RestContext } from '../rest/index.js';
import { clusterControllers, type ControllerParts } from './cluster-controllers.js';
import { RESOURCE_QUOTA } from './resource-quota.js';
import { WORKLOAD_CONTROLLERS } from './workload-controllers.js';
import type { Logger } from '../../model/logging/index.js';

/** Starts every built-in controller; each writes under its own name. */
export function startControllers(context: RestContext, log: Logger, parts: ControllerParts): { close(): void } {
  const running = [...clusterControllers(parts), ...WORKLOAD_CONTROLLERS, RESOURCE_QUOTA].map((controller) =>
    controller.start({ client: inProcessClient(context, controller.name), clock: context.clock, log }),
  );
  return {
    close() {
      for (const each of running) each.close();
    },
  };
}
