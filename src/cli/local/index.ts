/**
 * local: CONTRACT.
 */
export { chartInput, functionHost } from './chart-input.js';
export { folderTree, realPath, repositoryRoot } from './folder-tree.js';
export { missingContent } from './missing-content.js';
export { openLocalSource, type LocalFolder, type LocalSource, withDisplayPaths } from './source.js';
