/**
 * completion: the `completion` command, and the hidden command that the scripts call. Takes the program and the words
 * so far; gives candidates. Names from a cluster are only read, and a failure gives no candidates.
 */
export { COMPLETE, addCompletion, printCompletions } from './command.js';
