import { isArray, isObject, own, type Json, type JsonArray, type JsonObject } from './json.js';

/**
 * Field access by a path of names, for objects whose shape nobody promised: what is absent, or of another type, is
 * undefined or empty. Where people wrote the object and must be told what is wrong with it, use `text`, `flag` and the
 * others of field.ts instead.
 */
export function valueAt(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current = value;
  for (const name of path) {
    if (!isObject(current)) return undefined;
    current = own(current, name);
  }
  return current;
}

export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

export function numberAt(value: Json | undefined, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function flagAt(value: Json | undefined, ...path: readonly string[]): boolean | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'boolean' ? found : undefined;
}

export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject | undefined {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : undefined;
}

const NOTHING: JsonArray = [];

export function listAt(value: Json | undefined, ...path: readonly string[]): JsonArray {
  const found = valueAt(value, ...path);
  return isArray(found) ? found : NOTHING;
}

/** The objects of a list; anything else in it is left out. */
export function objectsAt(value: Json | undefined, ...path: readonly string[]): JsonObject[] {
  return listAt(value, ...path).filter(isObject);
}

/** The texts of a list; anything else in it is left out. */
export function textsAt(value: Json | undefined, ...path: readonly string[]): string[] {
  return listAt(value, ...path).filter((each) => typeof each === 'string');
}
