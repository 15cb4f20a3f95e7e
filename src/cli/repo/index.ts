/**
 * repo: the `repo` commands: repositories, with the flags and columns of `argocd repo`. Takes the program and the
 * host. Writes repository Secrets; never prints their credentials.
 */
export { addRepo } from './command.js';
