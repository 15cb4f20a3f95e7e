/**
 * json: reading of untrusted fields with a bound on the length of texts. Never throws, whatever an object holds.
 */
export { amountOf } from './amount.js';
export { MAX_TEXT_LENGTH, entryOf, textAt, textsAt, wordOf } from './json-at.js';
export { valueAtPath } from './value-at-path.js';
