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
export {
  type RenderRequest,
  type Rendered,
  type RenderOutcome,
  type SourceType,
  type FetchedBase,
} from './application-source/render-request.js';
export { type Manifest, type Origin } from './common/manifest.js';
export { findApplications, type FoundApplication } from './application-source/find-applications.js';
export { readChartDetails, type ChartDetails } from './helm/chart-details.js';
export { type Need, needKey, NeedsContent } from './common/needs.js';
export { TreeReader } from './common/tree-reader.js';
export { renderChart, type RenderChartRequest, type RenderChartOutcome } from './helm/render-chart.js';
export { type ChartInput } from './helm/prepare-chart.js';
export { type ValueOrigin } from './helm/trace-values.js';
export { TextTemplate } from './go-template/text-template.js';
export { normalizeName, ApplicationSetTemplates } from './go-template/application-set-templates.js';
export { parsePrintedManifests, renderDirectory, type DirectoryOptions } from './directory/render-directory.js';
export { kustomizationText } from './kustomize/kustomization-text.js';
export { isKustomization, renderKustomization } from './application-source/render-kustomization.js';
export { BuildEnvironment } from './application-source/build-environment.js';
export { ChartValues, type ValuesFile } from './helm/origin/chart-values.js';
export { explainFailure, MissingValueFault, type MissingValue, type ValueStep } from './helm/origin/missing-value.js';
export { valuesReadByFile } from './helm/origin/values-read.js';
export { parsePath, pathText } from './helm/origin/path-text.js';
export { emptyOverrideText, placeText as valuePlaceText, shortText } from './helm/origin/value-text.js';
export { type Finding } from './findings/finding.js';
export { findPartsLeftOut, type PartLeftOut } from './findings/parts-left-out.js';
export { findUnsetShellVariables, type UnsetShellVariable } from './findings/unset-shell-variables.js';
export { parseRepoSpec, type RepoSpec } from './kustomize/load/repo-spec.js';
