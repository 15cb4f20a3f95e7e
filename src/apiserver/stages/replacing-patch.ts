import { isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';

/** A merge patch after which a path holds what the patch gives there, and nothing of what was there before. */
export function replacingPatch(patch: JsonObject, current: JsonObject, path: readonly string[]): JsonObject {
  const [key = '', ...rest] = path;
  const [wanted, old] = [own(patch, key), own(current, key)];
  if (!isObject(wanted) || !isObject(old)) return patch;
  const next = { ...patch };
  put(next, key, rest.length === 0 ? withoutOthers(wanted, old) : replacingPatch(wanted, old, rest));
  return next;
}

/** Fields that only the old value has go. */
function withoutOthers(wanted: JsonObject, old: JsonObject): JsonObject {
  const next: JsonObject = { ...wanted };
  for (const [key, before] of Object.entries(old)) {
    const value: Json | undefined = own(wanted, key);
    if (value === undefined) put(next, key, null);
    else if (isObject(value) && isObject(before)) put(next, key, withoutOthers(value, before));
  }
  return next;
}
