/**
 * up: the `up` and `apiserver` commands. Takes the program and the host; puts the starters of the host together and
 * prints how to sign in. Writes run.json in the data directory.
 */
export { addApiserver, addUp } from './command.js';
