/**
 * appset: the `appset` commands: ApplicationSets, with the flags and columns of `argocd appset`. Takes the program and
 * the host. `generate` writes nothing; `delete` prompts unless --yes is given.
 */
export { addAppset } from './command.js';
