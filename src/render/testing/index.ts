/**
 * testing: CONTRACT.
 */
export { treeOf, type TreeShape } from './tree.js';
