/**
 * applications: CONTRACT.
 */
export { applicationFeed } from './application-feed.js';
export { filterBy, healthOf, syncOf, type ApplicationFilter } from './application-filter.js';
export { ApplicationSetCache } from './application-set-cache.js';
export { ApplicationTexts, applicationView } from './application-text.js';
export { PendingChanges, type EventType } from './pending-changes.js';
export { parseFields } from './select-fields.js';
export { treeFeed } from './tree-feed.js';
