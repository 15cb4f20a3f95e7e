/**
 * fleet: CONTRACT.
 */
export { countFleet } from './count-fleet.js';
export { fleetRow } from './fleet-row.js';
