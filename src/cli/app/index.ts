/**
 * app: the `app` commands, with the flags and columns of `argocd app`. Takes the program, the host and the exit
 * status; each command loads its file when it runs. Writes Applications only conditionally, and prints the context it
 * writes to.
 */
export { addApp, spellSwitches } from './command.js';
