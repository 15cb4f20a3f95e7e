/**
 * notebook: the `notebook` commands: validation jobs of a cluster, and notebooks run on this machine. Takes the
 * program, the host and the exit status. Only reads the cluster.
 */
export { addNotebook } from './command.js';
