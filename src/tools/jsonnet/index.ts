/**
 * jsonnet: CONTRACT.
 */
export { evaluateJsonnet } from './evaluate-jsonnet.js';
