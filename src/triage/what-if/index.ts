/**
 * what-if: applies a fix to a snapshot in memory and runs triage again. Takes edits, additions and actions; gives
 * whether the finding would be resolved, what blocks it and what comes next. Never touches a cluster or a file.
 */
export { editObject, resolvePath, valueAtSteps } from './edit-object.js';
export type { Repair } from './simulate-repair.js';
export { WhatIf, isSameCause, type Expectation } from './what-if.js';
