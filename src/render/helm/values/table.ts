import type { Json } from '../../../model/json/index.js';
import { GoScalar, GoTyped, entryOf, setEntry, type GoObject, type GoValue } from '../template/value/go-value.js';

/** A map that values are merged into key by key; anything else is replaced as a whole. */
export function isTable(value: GoValue | undefined): value is GoObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof GoTyped);
}

export function has(table: GoObject, key: string): boolean {
  return Object.hasOwn(table, key);
}

export function remove(table: GoObject, key: string): void {
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- an own property, whatever its name
  delete table[key];
}

/** A deep copy; typed values do not change and are shared. */
export function copyValue<T extends GoValue>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => copyValue(item)) as T;
  if (!isTable(value)) return value;
  const copy: GoObject = {};
  for (const key of Object.keys(value)) setEntry(copy, key, copyValue(entryOf(value, key) ?? null));
  return copy as T;
}

export function copyShallow(table: GoObject): GoObject {
  const copy: GoObject = {};
  for (const key of Object.keys(table)) setEntry(copy, key, entryOf(table, key) ?? null);
  return copy;
}

/** The table at the end of a path, or undefined where a step is missing or no table. */
export function tableAt(table: GoObject, path: readonly string[]): GoObject | undefined {
  let current = table;
  for (const name of path) {
    const next = entryOf(current, name);
    if (!isTable(next)) return undefined;
    current = next;
  }
  return current;
}

/** The value at the end of a path that is no table itself; undefined where there is none. */
export function leafAt(table: GoObject, path: readonly string[]): GoValue | undefined {
  const holder = tableAt(table, path.slice(0, -1));
  const value = holder === undefined ? undefined : entryOf(holder, path.at(-1) ?? '');
  return isTable(value) ? undefined : value;
}

/** Values as Helm holds them: every number a float64, whatever the file says. */
export function asFloats(value: Json): Json {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = asFloats(item);
  } else if (isTable(value)) {
    for (const key of Object.keys(value)) {
      const item = entryOf(value, key) as Json;
      if (typeof item === 'bigint' || typeof item === 'object') setEntry(value, key, asFloats(item));
    }
  }
  return value;
}

/**
 * Lays one map over another: tables are merged, everything else of the second wins, null included. Shares what it can.
 */
export function overlay(below: GoObject, above: GoObject): GoObject {
  const result = copyShallow(below);
  for (const key of Object.keys(above)) {
    const value = entryOf(above, key) ?? null;
    const other = entryOf(result, key);
    setEntry(result, key, isTable(value) && isTable(other) ? overlay(other, value) : value);
  }
  return result;
}

/** Values without their Go types: what JSON can say about them. */
export function asJson(value: GoValue): Json {
  if (value instanceof GoScalar) return value.value;
  if (Array.isArray(value)) return value.map(asJson);
  if (!isTable(value)) return value instanceof GoTyped ? null : value;
  const object: Record<string, Json> = {};
  for (const key of Object.keys(value)) setEntry(object, key, asJson(entryOf(value, key) ?? null));
  return object;
}
