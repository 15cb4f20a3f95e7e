/**
 * fleet: Applications in short. Takes Applications; gives one row for each, the counts by sync and health, and the
 * names that a filter can choose from. Pure.
 */
export { countFleet } from './count-fleet.js';
export { fleetRow } from './fleet-row.js';
