/**
 * inspect: what a reconcile would find, without doing it. Takes an Application and a reconcile context, on request
 * other revisions or manifests; gives status, health, differences and the planned waves. Never writes to a cluster;
 * Secrets are masked.
 */
export { inspectApplication, requireAdmitted, type InspectOptions } from './inspect-application.js';
export type { InspectedResource, Inspection } from './inspection.js';
export { renderLocalManifests, type LocalFiles } from './local-manifests.js';
