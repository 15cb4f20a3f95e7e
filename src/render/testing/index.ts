/**
 * testing: trees, values and archives for tests of rendering. Used by tests only.
 */
export { treeOf, type TreeShape } from './tree.js';
