/**
 * triage: the `triage` command: root causes of a cluster or of dumps. Takes the program, the host and the exit status;
 * writes only the files, the branch or the fixes that its flags ask for.
 */
export { addTriage } from './command.js';
