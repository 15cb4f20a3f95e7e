/**
 * snapshot: the state at one moment: objects, events, log tails and which lists are complete. Removes the values of
 * Secrets and other data that must not be kept.
 */
export { publicValueOf, sanitizeObject } from './sanitize-object.js';
export type {
  AlertFact,
  EventFact,
  HostServiceFact,
  Listing,
  ListingFact,
  LogFact,
  Sample,
  SeriesFact,
  Snapshot,
} from './snapshot.js';
