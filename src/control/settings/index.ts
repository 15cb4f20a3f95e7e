/**
 * settings: the operator of the ArgoCD resource. Takes the ArgoCD objects; keeps the ConfigMaps of settings as they
 * describe, reverts what others write into them, and reports what it cannot use as a condition. Leaves a ConfigMap
 * alone that another operator manages.
 */
export { SettingsOperator } from './settings-operator.js';
