/**
 * settings: CONTRACT.
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
