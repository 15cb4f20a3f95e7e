import { clone, drop, equal, isArray, isObject, own, put, type Json, type JsonObject } from '../json/index.js';
import { PatchFault } from './patch-fault.js';

/**
 * The document after a JSON merge patch (RFC 7386): null deletes, objects merge, everything else replaces.
 * As in the API server's library, nulls inside values that are new are dropped, also inside lists.
 * The given values stay as they are.
 */
export function applyMergePatch(document: JsonObject, patch: Json): JsonObject {
  if (!isObject(patch)) throw new PatchFault('malformed', 'Invalid JSON Patch');
  return merge(clone(document), patch);
}

function merge(target: JsonObject, patch: JsonObject): JsonObject {
  for (const key of Object.keys(patch)) {
    const value = own(patch, key);
    if (value === null || value === undefined) {
      drop(target, key);
      continue;
    }
    const current = own(target, key);
    if (isObject(current)) put(target, key, isObject(value) ? merge(current, value) : clone(value));
    else put(target, key, withoutNulls(value));
  }
  return target;
}

/** A copy without members that are null, at any depth; nulls that are items of a list stay. */
function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map((item) => (item === null ? null : withoutNulls(item)));
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = own(value, key);
    if (member !== null && member !== undefined) put(kept, key, withoutNulls(member));
  }
  return kept;
}

/**
 * The smallest merge patch that turns one object into another. A member that becomes null cannot be told from one that
 * goes.
 */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) {
    if (own(from, key) !== undefined && own(to, key) === undefined) put(patch, key, null);
  }
  for (const key of Object.keys(to)) {
    const before = own(from, key);
    const after = own(to, key);
    if (after === undefined || equal(before, after)) continue;
    put(patch, key, isObject(before) && isObject(after) ? createMergePatch(before, after) : clone(after));
  }
  return patch;
}
