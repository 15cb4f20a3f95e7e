/**
 * drift: the `drift` command: who owns each difference, and the smallest rule or patch that resolves it. Takes the
 * program, the host and the exit status; writes only the files that --fix asks for.
 */
export { addDrift } from './command.js';
