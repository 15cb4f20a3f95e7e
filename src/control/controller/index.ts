/**
 * controller: starts and stops everything that runs beside the API server: the Application controller with its queue,
 * leader election and shards, the operators, the metrics server; and one-off reads for the CLI.
 * Takes a connected cluster, a data directory and options; only this folder creates long-lived parts and closes them.
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
} from './start-controller.js';
