/**
 * cluster: CONTRACT.
 */
export { addCluster } from './command.js';
