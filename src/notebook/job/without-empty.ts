import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';

/** A manifest without the fields that are absent or empty. */
export function withoutEmpty(object: JsonObject): JsonObject {
  const isSet = (value: Json | undefined): boolean =>
    value !== undefined &&
    !(isArray(value) && value.length === 0) &&
    !(isObject(value) && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(object).filter(([, value]) => isSet(value)));
}
