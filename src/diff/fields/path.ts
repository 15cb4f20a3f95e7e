import { isArray, isObject, own, put, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';

/** A part of a list, as jq names it in a path; null is an open end. */
export interface Slice {
  readonly start: number | null;
  readonly end: number | null;
}

export type PathStep = string | number | Slice;
export type Path = readonly PathStep[];

/** Where each item of a shortened list stood before, so that a pointer can name the place a reader will find. */
export type Origins = WeakMap<JsonArray, readonly number[]>;

/** What to take away below one value. */
interface Removal {
  gone: boolean;
  readonly below: Map<string | number, Removal>;
}

/**
 * The value without what the paths lead to; every path is read in the value as given, so their order does not matter.
 * Shares all that did not change, and is the value itself where nothing did. A path that leads nowhere takes nothing
 * away.
 */
export function removePaths(value: Json, paths: readonly Path[], origins?: Origins): Json {
  const root: Removal = { gone: false, below: new Map() };
  for (const path of paths) mark(root, value, path);
  return root.gone ? null : sweep(value, root, origins);
}

function mark(root: Removal, value: Json, path: Path): void {
  let removal = root;
  let current: Json | undefined = value;
  /** Where the slices passed so far begin and end in the list. */
  let window: { readonly start: number; readonly end: number } | undefined;
  for (const step of path) {
    if (typeof step === 'object') {
      if (!isArray(current)) return;
      window = narrow(window ?? { start: 0, end: current.length }, step);
      continue;
    }
    const key: string | number | undefined = isArray(current) ? indexIn(current, step, window) : step;
    window = undefined;
    current = key === undefined ? undefined : childOf(current, key);
    if (key === undefined || current === undefined) return;
    removal = childRemoval(removal, key);
  }
  if (window === undefined) removal.gone = true;
  else for (let index = window.start; index < window.end; index++) childRemoval(removal, index).gone = true;
}

function childRemoval(removal: Removal, key: string | number): Removal {
  let next = removal.below.get(key);
  if (next === undefined) removal.below.set(key, (next = { gone: false, below: new Map() }));
  return next;
}

function narrow(window: { start: number; end: number }, slice: Slice): { start: number; end: number } {
  const [start, end] = sliceBounds(slice, window.end - window.start);
  return { start: window.start + start, end: window.start + end };
}

/** Begin and end of a slice in a list of a length: negative counts from the end, fractions widen. */
export function sliceBounds({ start, end }: Slice, length: number): [number, number] {
  const from = clamp(start === null ? 0 : Math.floor(start), 0, length);
  return [from, clamp(end === null ? length : Math.ceil(end), from, length)];
}

function clamp(index: number, least: number, length: number): number {
  return Math.min(Math.max(index < 0 ? index + length : index, least), length);
}

function indexIn(
  list: JsonArray,
  step: string | number,
  window?: { readonly start: number; readonly end: number },
): number | undefined {
  if (typeof step === 'string') return undefined;
  const { start, end } = window ?? { start: 0, end: list.length };
  const index = Math.trunc(step) < 0 ? end + Math.trunc(step) : start + Math.trunc(step);
  return index >= start && index < end ? index : undefined;
}

function childOf(value: Json | undefined, key: string | number): Json | undefined {
  if (isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  return isObject(value) && typeof key === 'string' ? own(value, key) : undefined;
}

function sweep(value: Json, removal: Removal, origins: Origins | undefined): Json {
  if (removal.below.size === 0) return value;
  if (isArray(value)) return sweepList(value, removal, origins);
  return isObject(value) ? sweepObject(value, removal, origins) : value;
}

function sweepObject(value: JsonObject, removal: Removal, origins: Origins | undefined): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = own(value, key);
    const below = removal.below.get(key);
    if (below === undefined || child === undefined) put(result, key, child);
    else if (!below.gone) put(result, key, sweep(child, below, origins));
  }
  return result;
}

function sweepList(value: JsonArray, removal: Removal, origins: Origins | undefined): JsonArray {
  const result: JsonArray = [];
  const before = origins?.get(value);
  const places: number[] = [];
  for (const [index, item] of value.entries()) {
    const below = removal.below.get(index);
    if (below?.gone === true) continue;
    result.push(below === undefined ? item : sweep(item, below, origins));
    places.push(before?.[index] ?? index);
  }
  origins?.set(result, places);
  return result;
}

/**
 * The steps of a JSON pointer inside a value, or undefined where it leads nowhere; negative indexes count from the end.
 */
export function pointerPath(value: Json, parts: readonly string[]): Path | undefined {
  const path: (string | number)[] = [];
  let current: Json | undefined = value;
  for (const part of parts) {
    if (isArray(current)) {
      const index: number | undefined = /^-?\d{1,9}$/.test(part) ? indexIn(current, Number(part)) : undefined;
      if (index === undefined) return undefined;
      path.push(index);
      current = current[index];
    } else {
      if (!isObject(current)) return undefined;
      path.push(part);
      current = own(current, part);
    }
    if (current === undefined) return undefined;
  }
  return path;
}
