import { isArray, isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';

/**
 * What stands under a path of names; undefined where any step is missing. Snapshots are strangers' data: nothing is
 * assumed.
 */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let here = value;
  for (const name of path) {
    if (!isObject(here)) return undefined;
    here = own(here, name);
  }
  return here;
}

/**
 * No message of a cluster is longer; patterns that look at it must not take for ever where somebody made one that is.
 */
export const MAX_TEXT_LENGTH = 4_000;

/** Text under a path, cut where it is longer than any message; empty where there is none. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found.slice(0, MAX_TEXT_LENGTH) : '';
}

/**
 * What a person would call a plain value: text, number or flag. Anything else has no word; it may even pretend to have
 * one.
 */
export function wordOf(value: Json | undefined): string {
  return typeof value === 'string'
    ? value.slice(0, MAX_TEXT_LENGTH)
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : '';
}

/** An entry of a table by a word of a stranger, who may well say `constructor`. */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

export function numberAt(value: Json | undefined, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

const NOTHING: JsonArray = [];

export function listAt(value: Json | undefined, ...path: readonly string[]): JsonArray {
  const found = at(value, ...path);
  return isArray(found) ? found : NOTHING;
}

/** The objects of a list; what is not an object is left out. */
export function objectsAt(value: Json | undefined, ...path: readonly string[]): JsonObject[] {
  return listAt(value, ...path).filter(isObject);
}

export function textsAt(value: Json | undefined, ...path: readonly string[]): string[] {
  return listAt(value, ...path)
    .filter((each): each is string => typeof each === 'string')
    .map((each) => each.slice(0, MAX_TEXT_LENGTH));
}

export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject | undefined {
  const found = at(value, ...path);
  return isObject(found) ? found : undefined;
}
