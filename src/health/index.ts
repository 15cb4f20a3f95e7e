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
export { openCatalogue } from './catalogue/open-catalogue.js';
export { readCatalogue, type Catalogue, type CatalogueFile } from './catalogue/catalogue.js';
export { type CatalogueEntry, type FactDeclaration } from './catalogue/entry.js';
export { type Facts } from './catalogue/scope.js';
export { createActions, type Actions, type ActionsOptions } from './actions/create-actions.js';
export { type Action, type ActionParameter, type Arguments, type Impact } from './catalogue/action.js';
export { actByScript, discoverByScript } from './actions/lua-action.js';
export { runHealthScript } from './lua/run-health-script.js';
export { LuaError } from './lua/lua-error.js';
export { type LuaOptions } from './lua/budget.js';
export { lintHealthScript, type LintScript } from './lint/lint-health-script.js';
export { lintSettings, type LintedSettings, type LintSettingsOptions } from './lint/lint-settings.js';
export { isFatal, type Finding, type FindingPlace, type LintRule } from './lint/finding.js';
export { type SettingsSource } from './lint/settings/settings-source.js';
export { schemaOfCrd } from './lint/script/schema-step.js';
