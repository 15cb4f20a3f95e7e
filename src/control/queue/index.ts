/**
 * queue: CONTRACT.
 */
export { RepositoryWatcher } from './repository-watcher.js';
export { TopicSubscriptions, kindTopic } from './topic-subscriptions.js';
export { WorkQueue } from './work-queue.js';
