/**
 * common: CONTRACT.
 */
export { BoundedCache } from './bounded-cache.js';
export type { Manifest, Origin } from './manifest.js';
export { NeedsContent, needKey, type Need } from './needs.js';
export { holds, type ReadSet } from './read-set.js';
export { TreeReader } from './tree-reader.js';
