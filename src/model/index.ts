/**
 * model: the nouns that every room speaks, and their parsers. Objects, keys, schemas, selectors, quantities, durations,
 * patches, YAML and JSON text, faults.
 * Takes text and plain values, gives plain values or a Fault that says where the text is wrong.
 * Never does I/O, never reads the clock, never keeps state.
 */
export { type Json, type JsonArray, type JsonObject, own, put, drop, isObject, isArray, clone, equal } from './json.js';
export { parseJson, writeJson } from './json-text.js';
export {
  type KubeObject, type ObjectMeta, type OwnerReference, type ManagedFieldsEntry, type GroupVersionKind, type Key,
  splitApiVersion, joinApiVersion, gvkOf, keyOf, keyText,
} from './object.js';
export { type Schema, type CelRule, type GoFacts } from './schema.js';
export { Fault, FAULTS, type FaultCode } from './fault.js';
export { type PathElement, type FieldPath, fieldElement, keyElement, elementText, parseElement, compareElements, pathText } from './path-element.js';
export { FieldSet, type FieldNode, parseFieldsV1, writeFieldsV1 } from './managed-fields.js';
export { compareText, quoteGo, formatGoNumber, formatGoValue } from './go-format.js';
