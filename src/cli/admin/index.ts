/**
 * admin: the `admin` commands: the initial password, and settings and RBAC policies tested before they are applied.
 * Takes files or the cluster of the flags; prints results. Never writes to a cluster.
 */
export { addAdmin } from './command.js';
