/**
 * application-source: what the source of an Application adds to rendering: build environment, value files, Kustomize
 * options and plugins. Takes the source spec and a tree; gives manifests, or what is still needed. Never does I/O.
 */
export { BuildEnvironment, environmentValues } from './build-environment.js';
export { findApplications, type FoundApplication } from './find-applications.js';
export { isKustomization, renderKustomization } from './render-kustomization.js';
export { renderPlugin } from './render-plugin.js';
export type { FetchedBase, RenderOutcome, RenderRequest, Rendered, SourceType } from './render-request.js';
export { readValueFiles } from './value-files.js';
