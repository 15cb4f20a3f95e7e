/**
 * application-source: CONTRACT.
 */
export { BuildEnvironment, environmentValues } from './build-environment.js';
export { findApplications, type FoundApplication } from './find-applications.js';
export { isKustomization, renderKustomization } from './render-kustomization.js';
export { renderPlugin } from './render-plugin.js';
export type { FetchedBase, RenderOutcome, RenderRequest, Rendered, SourceType } from './render-request.js';
export { readValueFiles } from './value-files.js';
