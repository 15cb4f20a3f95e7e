/**
 * kustomize: overlays built as `kustomize build` does, on YAML nodes. Takes a tree and a path; gives manifests with
 * their origin, or the remote bases and charts it still needs. Never runs plugins that are programs.
 */
export { buildKustomization } from './build-kustomization.js';
export { kustomizationText } from './kustomization-text.js';
export { parseRepoSpec, type RepoSpec } from './load/repo-spec.js';
export type { KustomizeOverrides } from './overrides.js';
export type { ChartRequest } from './plugin/render-chart.js';
