import { isArray, isObject, own, put, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { removePaths, sliceBounds, type Path, type PathStep, type Slice } from '../fields/index.js';
import { isNumber, JqError, formatValue, withMember } from './values.js';

/** The steps that led to a value. */
export interface Trail {
  readonly up: Trail | undefined;
  readonly step: PathStep | undefined;
}

/** A value on its way through an expression and, where paths are asked for, where it came from. */
export interface Cell {
  readonly value: Json;
  readonly trail: Trail | undefined;
  /** The value at the trail: an expression that makes a new value has left the path. */
  readonly source: Json;
}

export function plainCell(value: Json): Cell {
  return { value, trail: undefined, source: value };
}

export function rootCell(value: Json): Cell {
  return { value, trail: { up: undefined, step: undefined }, source: value };
}

/** A value that an expression made; it has no place, and asking for one fails. */
export function computedCell(from: Cell, value: Json): Cell {
  return from.trail === undefined ? plainCell(value) : { value, trail: from.trail, source: from.source };
}

export function assertOnPath({ value, trail, source }: Cell): void {
  if (trail !== undefined && value !== source && !(Number.isNaN(value) && Number.isNaN(source)))
    throw new JqError(`invalid path against: ${formatValue(value)}`);
}

export function pathOf(cell: Cell): PathStep[] {
  assertOnPath(cell);
  const steps: PathStep[] = [];
  for (let trail = cell.trail; trail !== undefined; trail = trail.up)
    if (trail.step !== undefined) steps.push(trail.step);
  return steps.reverse();
}

/** One step from a cell to a part of it. */
export function stepTo(from: Cell, step: PathStep, value: Json): Cell {
  if (from.trail === undefined) return plainCell(value);
  assertOnPath(from);
  return { value, trail: { up: from.trail, step }, source: value };
}

/** `.[key]` of a value; null where it has none. */
export function indexValue(value: Json, key: Json): Json {
  if (typeof key === 'string') {
    if (value === null) return null;
    if (isObject(value)) return own(value, key) ?? null;
    throw new JqError(`expected an object but got: ${formatValue(value)}`);
  }
  if (isNumber(key)) return elementOf(value, Math.trunc(Number(key)));
  if (isArray(key) && (value === null || isArray(value))) return value === null ? null : placesOf(value, key);
  if (isObject(key) && (value === null || isArray(value) || typeof value === 'string'))
    return sliceValue(value, sliceOf(key));
  throw new JqError(
    isArray(value)
      ? `expected a number but got: ${formatValue(key)}`
      : `expected a string for object key but got: ${formatValue(key)}`,
  );
}

function elementOf(value: Json, index: number): Json {
  if (value === null) return null;
  if (typeof value === 'string') return sliceValue(value, { start: index, end: index + 1 || null }) || null;
  if (!isArray(value)) throw new JqError(`expected an array but got: ${formatValue(value)}`);
  return value[index < 0 ? index + value.length : index] ?? null;
}

/** Where a list begins inside another, as `.[[1,2]]` and `indices` give it. */
export function placesOf(list: JsonArray, part: JsonArray): Json {
  const places: Json[] = [];
  if (part.length === 0) return null;
  for (let at = 0; at + part.length <= list.length; at++)
    if (part.every((item, offset) => sameJson(item, list[at + offset] ?? null))) places.push(at);
  return places;
}

function sameJson(a: Json, b: Json): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** The slice that a path names as `{"start": 1, "end": 3}`. */
export function sliceOf(object: JsonObject): Slice {
  return { start: sliceEnd(own(object, 'start')), end: sliceEnd(own(object, 'end')) };
}

export function sliceEnd(value: Json | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (!isNumber(value)) throw new JqError(`expected a number for indexing an array but got: ${formatValue(value)}`);
  return Number(value);
}

export function sliceValue(value: Json, slice: Slice): Json {
  if (value === null) return null;
  if (isArray(value)) return value.slice(...sliceBounds(slice, value.length));
  if (typeof value !== 'string') throw new JqError(`expected an array but got: ${formatValue(value)}`);
  const characters = [...value];
  return characters.slice(...sliceBounds(slice, characters.length)).join('');
}

/** A path as a jq value, and back. */
export function pathToJson(path: Path): Json[] {
  return path.map((step) => (typeof step === 'object' ? { start: step.start, end: step.end } : step));
}

export function pathFromJson(value: Json): PathStep[] {
  if (!isArray(value)) throw new JqError(`path must be an array: ${formatValue(value)}`);
  return value.map((step) => {
    if (typeof step === 'string' || typeof step === 'number') return step;
    if (isObject(step)) return sliceOf(step);
    throw new JqError(`invalid path step: ${formatValue(step)}`);
  });
}

export function getPath(value: Json, path: Path): Json {
  let current = value;
  for (const step of path) {
    if (current === null) return null;
    current = typeof step === 'object' ? sliceValue(current, step) : indexValue(current, step);
  }
  return current;
}

/** Longest list that setting an index may make. */
const MAX_LENGTH = 100_000;

/** The value with another one at a path; what is missing on the way is made. */
export function setPath(value: Json, path: Path, set: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return set;
  if (typeof step === 'string') {
    if (value !== null && !isObject(value)) throw new JqError(`expected an object but got: ${formatValue(value)}`);
    return withMember(value ?? {}, step, setPath(value === null ? null : (own(value, step) ?? null), rest, set));
  }
  if (value !== null && !isArray(value)) throw new JqError(`expected an array but got: ${formatValue(value)}`);
  return typeof step === 'number'
    ? setItem(value ?? [], Math.trunc(step), rest, set)
    : setSlice(value ?? [], step, rest, set);
}

function setItem(list: JsonArray, step: number, rest: Path, set: Json): Json {
  const index = step < 0 ? step + list.length : step;
  if (index < 0) throw new JqError(`array index should not be negative: ${step}`);
  if (index > MAX_LENGTH) throw new JqError(`array index too large: ${step}`);
  const copy = [...list];
  while (copy.length < index) copy.push(null);
  copy[index] = setPath(list[index] ?? null, rest, set);
  return copy;
}

function setSlice(list: JsonArray, slice: Slice, rest: Path, set: Json): Json {
  const [start, end] = sliceBounds(slice, list.length);
  const inner = setPath(list.slice(start, end), rest, set);
  if (!isArray(inner)) throw new JqError(`expected an array but got: ${formatValue(inner)}`);
  return [...list.slice(0, start), ...inner, ...list.slice(end)];
}

/** A path that can be deleted: a character of a text has a path, but no place of its own. */
export function deletable(value: Json, path: Path): Path {
  let current = value;
  for (const step of path) {
    if (typeof current === 'string') throw new JqError(`expected an array but got: ${formatValue(current)}`);
    current = getPath(current, [step]);
  }
  return path;
}

export function deletePaths(value: Json, paths: Json): Json {
  if (!isArray(paths)) throw new JqError(`delpaths expects an array: ${formatValue(paths)}`);
  return removePaths(
    value,
    paths.map((path) => deletable(value, pathFromJson(path))),
  );
}

/** An object from its members, in their order. */
export function objectOf(members: readonly (readonly [string, Json])[]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of members) put(object, key, value);
  return object;
}
