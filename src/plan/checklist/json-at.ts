import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';

export function valueAt(object: JsonObject, ...path: readonly string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path) value = isObject(value) ? own(value, name) : undefined;
  return value;
}

export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = valueAt(object, ...path);
  return typeof value === 'string' ? value : '';
}

export function listAt(object: JsonObject, ...path: readonly string[]): JsonObject[] {
  const value = valueAt(object, ...path);
  return isArray(value) ? value.filter(isObject) : [];
}
