/**
 * tree: CONTRACT.
 */
export { branchesWithPath, pathMissing } from './branches-with-path.js';
export { TreeLoader, type OpenRepository } from './tree-loader.js';
