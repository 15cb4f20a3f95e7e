/**
 * common: what every renderer shares: the request, manifests with their origin, the tree of files and what is still
 * needed.
 * Takes and gives plain values; never does I/O.
 */
export { BoundedCache } from './bounded-cache.js';
export { checkMetadata } from './check-metadata.js';
export type { Manifest, Origin } from './manifest.js';
export { NeedsContent, needKey, type Need } from './needs.js';
export { holds, type ReadSet } from './read-set.js';
export { TreeReader } from './tree-reader.js';
