import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';

/** Reads of objects whose shape the API server has checked; what is absent or of another type is as good as empty. */
export function objectAt(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = object === undefined ? undefined : own(object, name);
  return isObject(value) ? value : undefined;
}

export function textAt(object: JsonObject | undefined, name: string): string {
  const value = object === undefined ? undefined : own(object, name);
  return typeof value === 'string' ? value : '';
}

export function numberAt(object: JsonObject | undefined, name: string): number | undefined {
  const value = object === undefined ? undefined : own(object, name);
  return typeof value === 'number' ? value : undefined;
}

export function flagAt(object: JsonObject | undefined, name: string, otherwise = false): boolean {
  const value = object === undefined ? undefined : own(object, name);
  return typeof value === 'boolean' ? value : otherwise;
}

export function objectsAt(object: JsonObject | undefined, name: string): JsonObject[] {
  const value = object === undefined ? undefined : own(object, name);
  return isArray(value) ? value.filter((item) => isObject(item)) : [];
}

export function textsAt(object: JsonObject | undefined, name: string): string[] {
  const value = object === undefined ? undefined : own(object, name);
  return isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Of those that are there: a manifest says nothing where nothing was said. */
export function withoutEmpty(object: JsonObject): JsonObject {
  const isSaid = (value: Json | undefined): boolean =>
    value !== undefined &&
    !(isArray(value) && value.length === 0) &&
    !(isObject(value) && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(object).filter(([, value]) => isSaid(value)));
}
