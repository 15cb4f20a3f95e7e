/**
 * demo: the `demo` commands: incidents to reproduce and to resolve on the embedded cluster. Takes the program and the
 * host; writes only to the cluster that the flags name.
 */
export { addDemo } from './command.js';
