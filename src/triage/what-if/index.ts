/**
 * what-if: a repair done to a snapshot in memory, and what triage finds then. Takes edits, additions and actions; gives
 * whether the finding would be gone, what is in the way and what comes next. Never touches a cluster or a file.
 */
export { editObject, resolvePath, valueAtSteps } from './edit-object.js';
export type { Repair } from './simulate-repair.js';
export { WhatIf, isSameCause, type Expectation } from './what-if.js';
