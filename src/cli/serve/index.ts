/**
 * serve: the `serve` command, and the flags of the API that `up` shares. Takes the program and the host; gives options
 * for the host's starter. Never delivers.
 */
export { addServe, apiOptions, type ApiFlags, NO_SIGN_IN, withApiFlags } from './command.js';
