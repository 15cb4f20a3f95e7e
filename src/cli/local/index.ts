/**
 * local: folders of this machine as input of a render: a tree that stays inside its root, and charts with their
 * values. Takes paths; gives values. Never follows a link out of the root, and never uses the network.
 */
export { chartInput, functionHost } from './chart-input.js';
export { folderTree, realPath, repositoryRoot } from './folder-tree.js';
export { missingContent } from './missing-content.js';
export { openLocalSource, type LocalFolder, type LocalSource, withDisplayPaths } from './source.js';
