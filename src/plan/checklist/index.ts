/**
 * checklist: CONTRACT.
 */
export {
  CHECKLIST_RULES,
  checkApplication,
  countLines,
  type ChecklistLine,
  type ChecklistRule,
} from './check-application.js';
export type { CheckedObject, ChecklistInput, ChecklistPolicy, LineState, UnknownObjects } from './checklist-input.js';
export { secretFields } from './secret-rules.js';
