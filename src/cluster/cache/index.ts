/**
 * cache: all objects of one kind or of several, kept equal to the server by list and watch. Gives the objects, their
 * changes and a state (syncing, live, stale, forbidden, broken) with its age. A lost connection is a state, never an
 * error; what cannot be trimmed is kept whole.
 */
export { type CacheSet, type CacheSetOptions, type CacheSetStatus, type KindStatus, watchKinds } from './cache-set.js';
export type { Change } from './object-index.js';
export { WatchCache, type CacheOptions, type CacheState, type CacheStatus, type CacheTiming } from './watch-cache.js';
