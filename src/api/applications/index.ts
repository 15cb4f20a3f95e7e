/**
 * applications: lists and streams of Applications and ApplicationSets. Takes objects of the watch caches; gives
 * filters, the JSON of Argo CD's server (written once for each version of an object) and event streams. Never
 * decides who may see what: callers hand in only what the subject may get.
 */
export { applicationFeed } from './application-feed.js';
export { filterBy, healthOf, syncOf, type ApplicationFilter } from './application-filter.js';
export { ApplicationSetCache } from './application-set-cache.js';
export { ApplicationTexts, applicationView } from './application-text.js';
export { PendingChanges, type EventType } from './pending-changes.js';
export { parseFields } from './select-fields.js';
export { treeFeed } from './tree-feed.js';
