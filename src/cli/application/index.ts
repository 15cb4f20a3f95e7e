/**
 * application: an Application as commands read and print it: its destination, live objects, health, operation and sync
 * windows. Takes an open session; gives values and text. What may not be read is left out, and only `operation`
 * writes.
 */
export { withDestination } from './destination.js';
export { Kinds, assess, openAssessor, readHealths, readIfPermitted, readKeys, readManaged } from './live-objects.js';
export { readTree, treeLines, type TreeNode } from './live-tree.js';
export { isWanted, liveResource, type ResourceFlags, withManaged } from './managed-objects.js';
export { changeApplication, startOperation, userOf } from './operation.js';
export {
  formatConditions,
  formatOperation,
  formatParameters,
  formatSummary,
  goTime,
  labelled,
  positionOfSource,
  timeOf,
} from './print-application.js';
export { isChosen, parseChoices, type Choice } from './resource-choice.js';
export { StateStream, formatStates, keyAt, oneLine, resourceStates } from './resource-states.js';
export { readWindows } from './sync-windows.js';
