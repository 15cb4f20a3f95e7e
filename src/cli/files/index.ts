/**
 * files: files and standard input as text and as Kubernetes objects. Takes a path, `-` for standard input; gives
 * values, or a Fault that names the file.
 */
export { flattenObjects, inputName, readObjects, readText } from './read-objects.js';
