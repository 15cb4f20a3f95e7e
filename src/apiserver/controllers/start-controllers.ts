import { inProcessClient } from '../in-process-client.js';
import type { RestContext } from '../rest/context.js';
import type { Controller } from './controller.js';
import { WORKLOAD_CONTROLLERS } from './workload-controllers.js';

/** Every built-in controller, in the order in which they start. */
const CONTROLLERS: readonly Controller[] = [...WORKLOAD_CONTROLLERS];

/** Starts all of them; each writes under its own name. */
export function startControllers(context: RestContext, log: (line: string) => void): { close(): void } {
  const running = CONTROLLERS.map((controller) =>
    controller.start({ client: inProcessClient(context, controller.name), clock: context.clock, log }));
  return {
    close() {
      for (const each of running) each.close();
    },
  };
}
