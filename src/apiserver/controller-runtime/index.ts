/**
 * controller-runtime: CONTRACT.
 */
export { conditionsOf, findCondition, withCondition, withTransition, withoutCondition } from './conditions.js';
export {
  controllerOfKind,
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
export { WorkQueue } from './work-queue.js';
