/**
 * what-if: CONTRACT.
 */
export { editObject, resolvePath, valueAtSteps } from './edit-object.js';
export type { Repair } from './simulate-repair.js';
export { WhatIf, isSameCause, type Expectation } from './what-if.js';
