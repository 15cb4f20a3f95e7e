/**
 * directory: plain YAML and JSON files of a folder as manifests. Takes a tree and the directory options of a source;
 * gives objects with file and line.
 */
export { parsePrintedManifests, renderDirectory, type DirectoryOptions } from './render-directory.js';
