/**
 * kustomize: CONTRACT.
 */
export { buildKustomization } from './build-kustomization.js';
export { kustomizationText } from './kustomization-text.js';
export { parseRepoSpec, type RepoSpec } from './load/repo-spec.js';
export type { KustomizeOverrides } from './overrides.js';
export type { ChartRequest } from './plugin/render-chart.js';
