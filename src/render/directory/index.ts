/**
 * directory: CONTRACT.
 */
export { parsePrintedManifests, renderDirectory, type DirectoryOptions } from './render-directory.js';
