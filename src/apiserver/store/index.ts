/**
 * store: a durable, revisioned key-value store with watches, in memory or on an append-only log with snapshots. A write
 * is visible only after it is on disk; a write on an older revision is a StaleWrite, a read before the history a
 * RevisionCompacted. Damage is reported as STORE_CORRUPT with its place, never repaired silently.
 */
export { openMemoryStore, openStore } from './open-store.js';
export { RevisionCompacted, StaleWrite, type Store, type StoreEvent, type Stored } from './store.js';
