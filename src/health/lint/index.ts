/**
 * lint: CONTRACT.
 */
export { isFatal, type Finding, type FindingPlace, type LintRule } from './finding.js';
export { lintHealthScript, type LintScript } from './lint-health-script.js';
export { lintSettings, type LintSettingsOptions, type LintedSettings } from './lint-settings.js';
export { schemaOfCrd } from './script/schema-step.js';
export type { SettingsSource } from './settings/settings-source.js';
