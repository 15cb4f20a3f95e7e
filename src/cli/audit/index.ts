/**
 * audit: `argosy audit verify` and `argosy audit show`. Takes the program and the host; reads the audit log of this
 * machine, or standard input. Exit codes of `verify`: 0 whole, 1 not whole, 20 if it cannot be read.
 */
export { addAudit } from './command.js';
