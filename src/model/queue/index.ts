/**
 * queue: keys to reconcile, queued as client-go and controller-runtime do. Takes a function that reconciles a key, and
 * policies: workers, turns, backoff, delays. A key carries no event: whoever reconciles it reads the current state, so
 * a retry, a restart and a missed event take the same path. Starts no timer but by the clock it is given.
 */
export { exponentialBackoff } from './backoff.js';
export { FairQueue } from './fair-queue.js';
export type { Lane } from './fair-shares.js';
export type { Priority } from './ready-keys.js';
export { WorkQueue } from './work-queue.js';
