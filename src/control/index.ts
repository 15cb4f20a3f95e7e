/**
 * control: the order of things. Combines rooms that do not know each other: fetches what a render needs and renders again.
 * Takes an Application's sources and the opened rooms, gives manifests with their origin and the commits they come from.
 * Never holds state of its own that matters: caches can be thrown away at any time.
 */
export { makeManifests, type MakeRequest, type MadeManifests, type MadeSource, type Workshop } from './make-manifests.js';
export { RenderPool, type RenderPoolOptions } from './render-pool.js';
export { installCrds, readCrds } from './install-crds.js';
export { excludedObjects, exclusionAdvice, type ExcludedObject } from './exclusion-advice.js';
export { type Inspection, type InspectedResource } from './inspection.js';
export { startController, type StartOptions, type RunningController } from './start-controller.js';
