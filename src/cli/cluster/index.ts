/**
 * cluster: the `cluster` commands: destination clusters, with the flags and columns of `argocd cluster`. Takes the
 * program, the host and the exit status. Writes cluster Secrets; never prints their credentials.
 */
export { addCluster } from './command.js';
