import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';

/**
 * Readers for objects whose shape the decoder has already checked: an absent field reads as its zero value, as it does
 * in the typed structs of the real server.
 */

/** The object under a dotted path; an empty, detached one where there is none. */
export function sub(from: JsonObject | undefined, path: string): JsonObject {
  return maybe(from, path) ?? {};
}

/** The object under a dotted path, if there is one. */
export function maybe(from: JsonObject | undefined, path: string): JsonObject | undefined {
  let at: Json | undefined = from;
  for (const key of keysOf(path)) at = isObject(at) ? own(at, key) : undefined;
  return isObject(at) ? at : undefined;
}

/** Paths stand in our own code, so there are a few hundred. */
const paths = new Map<string, readonly string[]>();

function keysOf(path: string): readonly string[] {
  let keys = paths.get(path);
  if (keys === undefined) paths.set(path, (keys = path.split('.')));
  return keys;
}

export function has(from: JsonObject, key: string): boolean {
  const value = own(from, key);
  return value !== undefined && value !== null;
}

export function items(from: JsonObject | undefined, key: string): JsonObject[] {
  const value = from === undefined ? undefined : own(from, key);
  return isArray(value) ? value.filter(isObject) : [];
}

export function texts(from: JsonObject | undefined, key: string): string[] {
  const value = from === undefined ? undefined : own(from, key);
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function text(from: JsonObject | undefined, key: string): string {
  const value = from === undefined ? undefined : own(from, key);
  return typeof value === 'string' ? value : '';
}

export function number(from: JsonObject | undefined, key: string): number | undefined {
  const value = from === undefined ? undefined : own(from, key);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

export function count(from: JsonObject | undefined, key: string): number {
  return number(from, key) ?? 0;
}

export function flag(from: JsonObject | undefined, key: string): boolean {
  return from !== undefined && own(from, key) === true;
}

/**
 * A map of strings (labels, node selectors, data) as sorted pairs; the real server's order is random, ours is stable.
 */
export function pairs(from: JsonObject | undefined, key: string): [string, string][] {
  const map = maybe(from, key) ?? {};
  return Object.keys(map)
    .sort()
    .map((name) => [name, text(map, name)]);
}

/** The same map with its keys in order, as Go prints maps. */
export function inOrder(map: JsonObject): JsonObject {
  const ordered: JsonObject = {};
  for (const key of Object.keys(map).sort()) put(ordered, key, own(map, key));
  return ordered;
}

/** The object under `key`, made when missing. */
export function ensure(from: JsonObject, key: string): JsonObject {
  const value = own(from, key);
  if (isObject(value)) return value;
  const created: JsonObject = {};
  put(from, key, created);
  return created;
}

/** Sets each value whose field is absent or an empty string. */
export function fill(object: JsonObject, values: JsonObject): void {
  for (const key of Object.keys(values)) {
    const current = own(object, key);
    if (current === undefined || current === null || current === '') put(object, key, own(values, key));
  }
}

export function isObjectOrList(value: Json | undefined): value is JsonObject | Json[] {
  return typeof value === 'object' && value !== null;
}
