/**
 * operation: CONTRACT.
 */
export {
  addToHistory,
  hasNewNamespaceMetadata,
  operationId,
  readImageGate,
  readPruneWaves,
  readWaveApplied,
  type StateChange,
  writeOperationState,
} from './operation-state.js';
export { failOperation, isOperating, type OperationUpdate } from './operation-update.js';
export { resumeRunning, type RunningOperation } from './running-operation.js';
export { OutdatedError, runGroups } from './run-steps.js';
export { isOurs } from './take-over-fields.js';
