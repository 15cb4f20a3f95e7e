/**
 * login: the `login`, `logout` and `version` commands. Takes the program and the host; saves a context with its token
 * in a file that only the user can read. Never prints a token.
 */
export { addLogin } from './command.js';
export { addVersion } from './version-command.js';
