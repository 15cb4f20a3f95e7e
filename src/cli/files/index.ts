/**
 * files: CONTRACT.
 */
export { flattenObjects, inputName, readObjects, readText } from './read-objects.js';
