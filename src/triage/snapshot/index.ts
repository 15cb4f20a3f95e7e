/**
 * snapshot: CONTRACT.
 */
export { publicValueOf, sanitizeObject } from './sanitize-object.js';
export type { EventFact, Listing, ListingFact, LogFact, Snapshot } from './snapshot.js';
