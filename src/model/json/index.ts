/**
 * json: JSON values, their text and fields. Reads big integers as bigint, and keys chosen by strangers only through
 * `own` and `put`. Takes text or values; gives values or a Fault with the position.
 */
export { MAX_DEPTH } from './depth.js';
export { count, flag, object, objects, text, texts, wrong } from './field.js';
export { decodePointerPart, formatPointer, getPointer, parsePointer } from './json-pointer.js';
export { findDuplicateKeys, objectIn, parseJson, writeJson } from './json-text.js';
export { clone, drop, equal, isArray, isObject, own, put, type Json, type JsonArray, type JsonObject } from './json.js';
export { flagAt, listAt, numberAt, objectAt, objectsAt, textAt, textsAt, valueAt } from './value-at.js';
