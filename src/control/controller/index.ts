/**
 * controller: CONTRACT.
 */
export { installCrds, readCrds } from './install-crds.js';
export type { Shard } from './shards.js';
export {
  generate,
  inspect,
  inspectMany,
  openControlServices,
  renderLocal,
  startController,
  type DeliveryOptions,
  type OpenControlServices,
  type RunningController,
  type StartOptions,
} from './start-controller.js';
