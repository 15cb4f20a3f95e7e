/**
 * json: CONTRACT.
 */
export { amountOf } from './amount.js';
export { MAX_TEXT_LENGTH, entryOf, textAt, textsAt, wordOf } from './json-at.js';
export { valueAtPath } from './value-at-path.js';
