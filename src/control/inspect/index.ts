/**
 * inspect: CONTRACT.
 */
export { inspectApplication, requireAdmitted, type InspectOptions } from './inspect-application.js';
export type { InspectedResource, Inspection } from './inspection.js';
export { renderLocalManifests, type LocalFiles } from './local-manifests.js';
