/**
 * comparison: CONTRACT.
 */
export {
  assessWith,
  compareResources,
  healthOf,
  liveResources,
  type CompareContext,
  type ComparedState,
  type ManagedResource,
} from './compare-resources.js';
export { Comparer } from './comparer.js';
export { type Condition, writeConditions } from './condition.js';
export { dependencyCycleConditions } from './dependency-cycle.js';
export { excludedObjects, exclusionAdvice, type ExcludedObject } from './exclusion-advice.js';
export { RelatedObjects, relatedObjectKey } from './related-objects.js';
export { prepareTargets, type Target, type TargetRules, type Targets } from './targets.js';
export { ownerOf, trackingOf } from './tracking.js';
