/**
 * walk: CONTRACT.
 */
export { compareObjects } from './compare-objects.js';
export type { FoundDifference, Walk } from './spot.js';
