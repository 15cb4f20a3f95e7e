/**
 * normalize: CONTRACT.
 */
export { isKnownType, knownFieldsOf, type KnownField, type KnownTypeField } from './known-type-fields.js';
export { normalizeObjects, storedSecret, type NormalizeOptions, withStoredData } from './normalize-objects.js';
export { meaningOf, sameScalar } from './same-value.js';
export { isBuiltIn, isDefault, isSameAsAbsent } from './server-defaults.js';
