/**
 * store: CONTRACT.
 */
export { openMemoryStore, openStore } from './open-store.js';
export { RevisionCompacted, StaleWrite, type Store, type StoreEvent, type Stored } from './store.js';
