/**
 * tree: a read-only tree of one commit in memory. Takes git objects; gives folders, files and symlinks within limits.
 * Contents are loaded for the wanted paths only.
 */
export { branchesWithPath, pathMissing } from './branches-with-path.js';
export { TreeLoader, type OpenRepository } from './tree-loader.js';
