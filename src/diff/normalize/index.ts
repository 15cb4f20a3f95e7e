/**
 * normalize: values that mean the same get the same form (quantities, stringData, empty lists, known types), so that
 * they are not reported as differences. Takes an object and its type; gives the normalised one and never changes its
 * input.
 */
export { isKnownType, knownFieldsOf, type KnownField, type KnownTypeField } from './known-type-fields.js';
export { normalizeObjects, storedSecret, type NormalizeOptions, withStoredData } from './normalize-objects.js';
export { meaningOf, sameScalar } from './same-value.js';
export { isBuiltIn, isDefault, isSameAsAbsent } from './server-defaults.js';
