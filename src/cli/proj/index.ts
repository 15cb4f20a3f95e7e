/**
 * proj: the `proj` commands: AppProjects, with the flags and columns of `argocd proj`. Takes the program and the host;
 * each command reads, changes and writes a project conditionally.
 */
export { addProj } from './command.js';
