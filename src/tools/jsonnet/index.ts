/**
 * jsonnet: Jsonnet files by the program an administrator named. Takes a tree and variables; gives JSON, or a Fault with
 * the program's message. Imports stay inside the tree.
 */
export { evaluateJsonnet } from './evaluate-jsonnet.js';
