/**
 * health: the `health` commands: assess objects, test and lint checks, install and verify them. Takes the program, the
 * host and the exit status. Only `apply` writes.
 */
export { addHealth } from './command.js';
