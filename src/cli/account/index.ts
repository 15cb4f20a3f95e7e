/**
 * account: the `account` commands: local accounts of the server of the last login. Takes the program and the host;
 * adds commands that print accounts, permissions and tokens. Never reads the cluster, and prints a token only when it
 * is made.
 */
export { addAccount } from './command.js';
