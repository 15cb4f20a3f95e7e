/**
 * operation: the operation of an Application. Writes and reads `status.operationState`, runs the steps of a plan
 * against the destination cluster, and takes over fields from earlier managers.
 * Takes steps that were decided elsewhere and gives their outcomes; a conflict is an OutdatedError, not a retry.
 * Never plans and never writes the Application itself.
 */
export {
  addToHistory,
  hasNewNamespaceMetadata,
  readSuperseded,
  writeOperationState,
} from './operation-state.js';
export { failOperation, isOperating, type OperationUpdate } from './operation-update.js';
export { resumeRunning, type HookLook, type RunningOperation } from './running-operation.js';
export { OutdatedError, runGroups } from './run-steps.js';
export { isOurs } from './take-over-fields.js';
