import { equal, isObject, own, put, type Json, type JsonObject } from '../../src/model/json/index.js';

/** The value at a dotted path; a number is an index, `*` every item. */
export function valueAtPath(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value;
  const words = path.split('.');
  for (const [index, word] of words.entries()) {
    if (word === '*' && Array.isArray(found)) {
      const rest = words.slice(index + 1).join('.');
      return found.map((item) => (rest === '' ? item : (valueAtPath(item, rest) ?? null)));
    }
    if (Array.isArray(found)) found = found[Number(word)];
    else found = isObject(found) ? own(found, word) : undefined;
  }
  return found;
}

/** The paths that a step wants to look at, with what stands there; `<absent>` where nothing does. */
export function pickPaths(body: Json, paths: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const path of paths) put(kept, path, valueAtPath(body, path) ?? '<absent>');
  return kept;
}

/** Is everything that `wanted` names in `value`? In a list each wanted item must match some item. */
export function contains(value: Json | undefined, wanted: Json | undefined): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((item) => value.some((other) => contains(other, item)));
  if (!isObject(wanted)) return equal(value, wanted);
  return isObject(value) && Object.keys(wanted).every((key) => contains(own(value, key), own(wanted, key)));
}
