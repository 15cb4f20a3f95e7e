/**
 * snapshot: what was there at one moment: objects, events, ends of logs and which lists are complete. Removes the
 * values of Secrets and whatever else must not be kept.
 */
export { publicValueOf, sanitizeObject } from './sanitize-object.js';
export type { EventFact, Listing, ListingFact, LogFact, Snapshot } from './snapshot.js';
