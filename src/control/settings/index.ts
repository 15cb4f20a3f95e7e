/**
 * settings: CONTRACT.
 */
export { ARGOCDS, CONFIG_MAPS } from './kinds.js';
export { SettingsOperator } from './settings-operator.js';
