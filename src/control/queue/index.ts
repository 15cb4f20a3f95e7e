/**
 * queue: which application is reconciled next, and what enqueues it: a work queue (model/queue) with workers, topics
 * that applications subscribe to, and one watch for each repository.
 * Takes keys and a function; never knows what a reconcile does.
 */
export { RepositoryWatcher } from './repository-watcher.js';
export { TopicSubscriptions, kindTopic } from './topic-subscriptions.js';
export { createWorkQueue, serverOfUrl } from './work-queue.js';
