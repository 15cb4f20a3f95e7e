/**
 * checklist: the rules of `argosy check` for one application. Takes the Application, its objects and the policy; gives
 * a line for each rule: holds, fails, accepted, advised or not checked. Never reads git or a cluster.
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
