/**
 * settings: Argo CD's ConfigMaps as typed settings with their defaults, and Argosy's improvements. Takes the data of
 * ConfigMaps and variables; gives settings, and the values that cannot be used with the reason. Never throws on a bad
 * value.
 */
export type { ApplicationSetSettings } from './application-set-settings.js';
export type { FillRule } from './fill-rule.js';
export { IMPROVEMENTS, IMPROVEMENT_KEYS, NO_IMPROVEMENTS, type Improvements } from './improvements.js';
export type { NotebookImage } from './pattern-settings.js';
export { exclusionOf, isExcluded, type Exclusion, type ResourceFilter, type ResourceRule } from './resource-filter.js';
export {
  SETTING_VARIABLES,
  readSettings,
  type Settings,
  type ShardingAlgorithm,
  type TrackingMethod,
} from './settings.js';
