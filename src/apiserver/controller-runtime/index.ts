/**
 * controller-runtime: what every controller of the server uses: reconcilers over a work queue with backoff, a client
 * that reads and writes in this process, owner references, finalizers, conditions and Events. A key carries no event: a
 * reconciler reads the current state. Queues share the event loop fairly, one key per turn.
 */
export { conditionsOf, findCondition, withCondition, withTransition, withoutCondition } from './conditions.js';
export {
  controllerOfKind,
  namesOf,
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  type ObjectName,
} from './controller.js';
export { hasQueuedWork } from './fair-queue.js';
export { inProcessClient } from './in-process-client.js';
export {
  claim,
  controllerOf,
  controllerReference,
  ignoreNotFound,
  isControlledBy,
  ownersOf,
  removeFinalizer,
} from './owner-references.js';
export { replaceStatus } from './replace-status.js';
export { createWorkQueue } from './work-queue.js';
