/**
 * lint: mistakes in Lua health checks, found by interpreting the script over the schema of its kind. Takes a script, a
 * kind and its CRD; gives findings with line and fix. Never runs the script; reports only what is certain.
 */
export { isFatal, type Finding, type FindingPlace, type LintRule } from './finding.js';
export { lintHealthScript, type LintScript } from './lint-health-script.js';
export { lintSettings, type LintSettingsOptions, type LintedSettings } from './lint-settings.js';
export { schemaOfCrd } from './script/schema-step.js';
export type { SettingsSource } from './settings/settings-source.js';
