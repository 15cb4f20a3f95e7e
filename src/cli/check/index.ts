/**
 * check: the `check` command: the GitOps checklist for a cluster or for files. Takes the program, the host and the
 * exit status; prints the result of each rule. Never writes.
 */
export { addCheck } from './command.js';
