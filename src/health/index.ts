/**
 * health: one live object in, one verdict out, with the actions that can be done on it.
 * Takes plain objects, the catalogue's files, the settings of argocd-cm and a clock. Gives Health, actions, findings of
 * lint.
 * Never calls the cluster, never reads a file or the clock. An unknown kind has no verdict, which is not Healthy.
 * A script of a user cannot reach the host, and ends within its budget with the verdict Unknown.
 */
export { createAssessor, type Assessment, type Assessor, type AssessorOptions, type FactReference } from './assess.js';
export { aggregateHealth, type ApplicationHealth, type ManagedResource } from './aggregate.js';
export {
  readOverrides,
  healthOverride,
  NO_OVERRIDES,
  type Override,
  type OverrideActions,
  type OverrideError,
  type Overrides,
} from './overrides.js';
export {
  openCatalogue,
  readCatalogue,
  type Catalogue,
  type CatalogueFile,
  type CatalogueEntry,
  type FactDeclaration,
  type Facts,
  type Action,
  type ActionParameter,
  type Arguments,
  type Impact,
} from './catalogue/index.js';
export { createActions, type Actions, type ActionsOptions, actByScript, discoverByScript } from './actions/index.js';
export { runHealthScript, LuaError, type LuaOptions } from './lua/index.js';
export {
  lintHealthScript,
  type LintScript,
  lintSettings,
  type LintedSettings,
  type LintSettingsOptions,
  isFatal,
  type Finding,
  type FindingPlace,
  type LintRule,
  type SettingsSource,
  schemaOfCrd,
} from './lint/index.js';
