/**
 * controller: CONTRACT.
 */
export { installCrds, readCrds } from './install-crds.js';
export type { Shard } from './shards.js';
export {
  generate,
  inspect,
  inspectMany,
  openApplicationService,
  renderLocal,
  startController,
  type DeliveryOptions,
  type OpenApplicationService,
  type RunningController,
  type StartOptions,
} from './start-controller.js';
