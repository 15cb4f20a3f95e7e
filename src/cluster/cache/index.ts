/**
 * cache: CONTRACT.
 */
export { type CacheSet, type CacheSetOptions, type CacheSetStatus, type KindStatus, watchKinds } from './cache-set.js';
export type { Change } from './object-index.js';
export { WatchCache, type CacheOptions, type CacheState, type CacheStatus, type CacheTiming } from './watch-cache.js';
