/**
 * walk: target and live object side by side, field by field, as the API server pairs them. Takes both and a visitor;
 * gives the fields that differ. Knows nothing of rules or owners.
 */
export { compareObjects } from './compare-objects.js';
export type { FoundDifference, Walk } from './spot.js';
