import { inProcessClient } from '../in-process-client.js';
import type { RestContext } from '../rest/context.js';
import type { ContainerLogs } from '../runtime/container-logs.js';
import { CLUSTER_CONTROLLERS } from './cluster-controllers.js';
import type { Controller } from './controller.js';
import { RESOURCE_QUOTA } from './resource-quota.js';
import { WORKLOAD_CONTROLLERS } from './workload-controllers.js';

/** Every built-in controller, in the order in which they start. */
const CONTROLLERS: readonly Controller[] = [...CLUSTER_CONTROLLERS, ...WORKLOAD_CONTROLLERS, RESOURCE_QUOTA];

/** What controllers share with the rest of the server. */
export interface ControllerParts {
  readonly logs: ContainerLogs;
}

/** Starts all of them; each writes under its own name. */
export function startControllers(context: RestContext, log: (line: string) => void, _parts: ControllerParts): { close(): void } {
  const running = CONTROLLERS.map((controller) =>
    controller.start({ client: inProcessClient(context, controller.name), clock: context.clock, log }));
  return {
    close() {
      for (const each of running) each.close();
    },
  };
}
