/**
 * comparison: targets against live objects. Prepares rendered manifests as targets (namespace, tracking), pairs them
 * with the objects of a cluster cache and gives status, differences, health and conditions.
 * Takes rules and health checks from outside. Asks the server only by dry run, to confirm a difference; never changes
 * anything, never decides what follows from a difference.
 */
export {
  assessWith,
  compareResources,
  healthOf,
  liveResources,
  ownedObjects,
  type ComparedState,
  type ManagedResource,
} from './compare-resources.js';
export { Comparer } from './comparer.js';
export { type Condition, writeConditions } from './condition.js';
export { dependencyCycleConditions } from './dependency-cycle.js';
export { exclusionAdvice } from './exclusion-advice.js';
export { RelatedObjects, relatedObjectKey } from './related-objects.js';
export { prepareTargets, type Target, type TargetRules, type Targets } from './targets.js';
export { isSelfReferenced, ownerOf, trackingOf } from './tracking.js';
