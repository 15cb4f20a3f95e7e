/**
 * render: a tree in memory and a source's settings in, manifests with their origin out.
 * Gives what `helm template`, `kustomize build` or the plain files give, or a list of what it still needs to see.
 * Never does I/O, never reads the clock or chance: they come in as arguments. A hostile repository ends in a fault of
 * its own application: paths cannot leave the tree, and templates run within a budget.
 */
export {
  describeSource,
  renderSource,
  traceSource,
  type Dependencies,
  type DescribedSource,
  type RenderResult,
  type TracedSource,
} from './render-source.js';
export { RenderCache, type RenderCacheOptions } from './render-cache.js';
export { type RenderRequest, type Rendered, type RenderOutcome, type SourceType, type FetchedBase } from './request.js';
export { type Manifest, type Origin } from './manifest.js';
export { findApplications, type FoundApplication } from './find-applications.js';
export { chartDetails, type ChartDetails } from './helm/chart-details.js';
export { type Need, needKey, NeedsContent } from './needs.js';
export { TreeReader } from './tree-reader.js';
export { renderChart, type RenderChartRequest, type RenderChartOutcome } from './helm/render-chart.js';
export { type ChartInput } from './helm/prepare-chart.js';
export { type ValueOrigin } from './helm/trace-values.js';
export { TextTemplate } from './text-template.js';
export { normalizeName, SetTemplates } from './set-template.js';
export { readPrinted, renderDirectory, type DirectoryOptions } from './directory/render-directory.js';
export { kustomizationText } from './kustomize/kustomization-text.js';
export { isKustomization, renderKustomization } from './kustomize-source.js';
export { BuildEnvironment } from './build-environment.js';
export { ChartValues, type ValuesFile } from './origin/chart-values.js';
export { explainFailure, MissingValueFault, type MissingValue, type Step } from './origin/missing-value.js';
export { valuesReadByFile } from './origin/values-read.js';
export { parsePath, pathText } from './origin/path-text.js';
export { emptyOverrideText, placeText as valuePlaceText, shortText } from './origin/value-text.js';
export { type Finding } from './findings/finding.js';
export { findPartsLeftOut, type PartLeftOut } from './findings/parts-left-out.js';
export { findUnsetShellVariables, type UnsetShellVariable } from './findings/unset-shell-variables.js';
export { parseRepoSpec, type RepoSpec } from './kustomize/load/repo-spec.js';
