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
  findApplications,
  type FoundApplication,
  isKustomization,
  renderKustomization,
  BuildEnvironment,
} from './application-source/index.js';
export { type Manifest, type Origin, type Need, needKey, NeedsContent, TreeReader } from './common/index.js';
export {
  readChartDetails,
  type ChartDetails,
  renderChart,
  type RenderChartRequest,
  type RenderChartOutcome,
  type ChartInput,
  type ValueOrigin,
  ChartValues,
  type ValuesFile,
  explainFailure,
  MissingValueFault,
  type MissingValue,
  type ValueStep,
  valuesReadByFile,
  parsePath,
  pathText,
  emptyOverrideText,
  placeText as valuePlaceText,
  shortText,
} from './helm/index.js';
export { TextTemplate, normalizeName, ApplicationSetTemplates } from './go-template/index.js';
export { parsePrintedManifests, renderDirectory, type DirectoryOptions } from './directory/index.js';
export { kustomizationText, parseRepoSpec, type RepoSpec } from './kustomize/index.js';
export {
  type Finding,
  findPartsLeftOut,
  type PartLeftOut,
  findUnsetShellVariables,
  type UnsetShellVariable,
} from './findings/index.js';
