import { formatGoValue } from '../go/index.js';
import { drop, isArray, isObject, own, put, type Json, type JsonArray, type JsonObject } from '../json/index.js';
import { PatchFault } from './patch-fault.js';
import type { Schema } from '../kubernetes/index.js';

/** The Go type that a decoded JSON value has; the API server compares and prints those. */
export function goType(value: Json | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

export function unknownDirective(directive: Json | undefined, patch: JsonObject): PatchFault {
  const shown =
    typeof directive === 'string'
      ? directive
      : `%!s(${directive === null ? '<nil>' : `${goType(directive)}=${formatGoValue(directive)}`})`;
  return new PatchFault('failed', `unknown patch type: ${shown} in map: ${formatGoValue(patch)}`);
}

export function noMergeKey(item: JsonObject, mergeKey: string): PatchFault {
  return new PatchFault('failed', `map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
}

/** The one type of all items of the given lists. */
export function elementType(...lists: readonly JsonArray[]): string {
  let type: string | undefined;
  for (const item of lists.flat(1)) {
    const next = goType(item);
    if (type === undefined && isArray(item)) throw new PatchFault('inapplicable', 'lists of lists are not supported');
    if (item === null || (type !== undefined && type !== next)) {
      throw new PatchFault('failed', `list element types are not identical: ${formatGoValue([...lists])}`);
    }
    type = next;
  }
  if (type === undefined) throw new PatchFault('failed', 'no elements in any of the given slices');
  return type;
}

/** A value without anything that carries `$patch`; undefined where it is such a thing itself. */
export function withoutDirectives(value: Json): Json | undefined {
  if (isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  for (const key of Object.keys(value)) {
    const kept = withoutDirectives(own(value, key) ?? null);
    if (kept === undefined) drop(value, key);
    else put(value, key, kept);
  }
  return value;
}

type MergeMap = (original: JsonObject, patch: JsonObject, schema: Schema) => JsonObject;

/**
 * Merges a list whose strategy is merge: maps by key, anything else as a set. With `isDeletion`, takes the items away
 * instead.
 */
export function mergeList(
  original: JsonArray,
  patch: JsonArray,
  field: Schema,
  { isDeletion, mergeMap }: { isDeletion: boolean; mergeMap: MergeMap },
): JsonArray {
  if (original.length === 0 && patch.length === 0) return original;
  const mergeKey = field.patchMergeKey ?? '';
  const isMap = elementType(original, patch) === 'map[string]interface {}';
  if (!isMap) {
    if (isDeletion) return original.filter((item) => !patch.includes(item));
    if (patch.length === 0) dropDuplicates(original);
    const merged = [...new Set([...original, ...patch])];
    return orderMerged(merged, patch, original, mergeKey, false);
  }
  if (mergeKey === '') throw new PatchFault('failed', 'cannot merge lists without merge key for struct');
  const special = obeyListDirectives(original, patch, mergeKey);
  const merged = mergeItems([...special.original], special.patch, mergeKey, (current, item) =>
    mergeMap(current, item, field.items ?? {}),
  );
  return orderMerged(merged, special.patch, special.original, mergeKey, true);
}

/**
 * Fills the place of each duplicate with the last item, as the API server does with a list that nothing is added to.
 * Long lists are left: the work grows with the square of their length, and only the order of what remains would change.
 */
function dropDuplicates(list: JsonArray): void {
  let last = list.length - 1;
  if (last > 1000) return;
  for (let i = 0; i < last; i++) {
    for (let j = i + 1; j <= last; j++) {
      if (list[i] === list[j]) list[j--] = list[last--] ?? null;
    }
  }
}

/** Takes the items with `$patch` out of a patch list and does what they say. */
function obeyListDirectives(
  original: JsonArray,
  patch: JsonArray,
  mergeKey: string,
): { original: JsonArray; patch: JsonArray } {
  const plain: JsonArray = [];
  let kept = original;
  let replace = false;
  for (const item of patch) {
    if (!isObject(item)) continue;
    const directive = own(item, '$patch');
    if (directive === undefined) plain.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge')
      throw new PatchFault('failed', 'merging lists cannot yet be specified in the patch');
    else if (directive === 'delete') {
      const value = own(item, mergeKey);
      if (value === undefined) throw noMergeKey(item, mergeKey);
      kept = kept.filter((other) => !(isObject(other) && own(other, mergeKey) === value));
    } else throw unknownDirective(directive, item);
  }
  return replace ? { original: plain, patch: [] } : { original: kept, patch: plain };
}

/**
 * The server's list as the API server sees it after merging: it deletes and appends in place, so new items take the
 * slots of deleted ones, and that decides where `$setElementOrder` puts them.
 */
export function listChangedInPlace(original: JsonArray, patch: JsonArray, mergeKey: string): JsonArray {
  const slots = [...original];
  let used = slots.length;
  const keyOf = (item: Json | undefined): Json | undefined => (isObject(item) ? own(item, mergeKey) : undefined);
  const find = (value: Json | undefined): number => slots.slice(0, used).findIndex((item) => keyOf(item) === value);
  const directive = (item: Json): Json | undefined => (isObject(item) ? own(item, '$patch') : undefined);
  for (const item of patch.filter((one) => directive(one) === 'delete')) {
    for (let at = find(keyOf(item)); at >= 0; at = find(keyOf(item))) slots.copyWithin(at, at + 1, used--);
  }
  if (patch.some((item) => directive(item) === 'replace')) return slots;
  for (const item of patch) {
    if (directive(item) === undefined && used < slots.length && find(keyOf(item)) < 0) slots[used++] = item;
  }
  return slots;
}

function mergeItems(
  merged: JsonArray,
  patch: JsonArray,
  mergeKey: string,
  mergeItem: (current: JsonObject, item: JsonObject) => JsonObject,
): JsonArray {
  const places = new Map<Json, number>();
  const remember = (item: Json, index: number): void => {
    const value = isObject(item) ? own(item, mergeKey) : undefined;
    if (value !== undefined && !places.has(value)) places.set(value, index);
  };
  merged.forEach(remember);
  for (const item of patch) {
    if (!isObject(item)) continue;
    const value = own(item, mergeKey);
    if (value === undefined) throw noMergeKey(item, mergeKey);
    const index = places.get(value);
    const current = index === undefined ? undefined : merged[index];
    if (index !== undefined && isObject(current)) merged[index] = mergeItem(current, item);
    else {
      merged.push(item);
      remember(item, merged.length - 1);
    }
  }
  return merged;
}

/**
 * Orders a merged list: items named in `patchOrder` in that order, the others as on the server, and the two interleaved
 * so that an item stands before one of the patch only where it did on the server.
 */
export function orderMerged(
  merged: JsonArray,
  patchOrder: JsonArray,
  serverOrder: JsonArray,
  mergeKey: string,
  isMap: boolean,
): JsonArray {
  const idOf = (item: Json): Json | undefined => (isMap && isObject(item) ? own(item, mergeKey) : item);
  if (isMap) {
    requireKeys(merged, mergeKey);
    const odd = patchOrder.findIndex((item) => !isObject(item));
    if (odd >= 0 && merged.length > 0) throw new PatchFault('failed', `value for key ${odd} is not a map`);
    for (const list of [patchOrder, serverOrder]) requireKeys(list, mergeKey);
  }
  const inPatch = positions(patchOrder, idOf);
  const onServer = positions(serverOrder, idOf);
  const fromPatch = sortBy(
    merged.filter((item) => inPatch.has(idOf(item))),
    inPatch,
    idOf,
  );
  const serverOnly = sortBy(
    merged.filter((item) => !inPatch.has(idOf(item))),
    onServer,
    idOf,
  );
  const all: JsonArray = [];
  let next = 0;
  for (const item of fromPatch) {
    const place = onServer.get(idOf(item));
    for (; next < serverOnly.length; next++) {
      const other = serverOnly[next];
      const otherPlace = other === undefined ? undefined : onServer.get(idOf(other));
      if (other === undefined || place === undefined || otherPlace === undefined || otherPlace >= place) break;
      all.push(other);
    }
    all.push(item);
  }
  return [...all, ...serverOnly.slice(next)];
}

function requireKeys(list: JsonArray, mergeKey: string): void {
  for (const item of list) {
    if (!isObject(item))
      throw new PatchFault('failed', `expected a map[string]interface {}, but received a ${goType(item)}`);
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
}

function positions(list: JsonArray, idOf: (item: Json) => Json | undefined): Map<Json | undefined, number> {
  const found = new Map<Json | undefined, number>();
  list.forEach((item, index) => {
    if (!found.has(idOf(item))) found.set(idOf(item), index);
  });
  return found;
}

/** A stable sort by position. An item without one goes before all that stand before it, as in the API server. */
function sortBy(
  items: JsonArray,
  order: ReadonlyMap<Json | undefined, number>,
  idOf: (item: Json) => Json | undefined,
): JsonArray {
  if (items.every((item) => order.has(idOf(item))))
    return items.sort((a, b) => (order.get(idOf(a)) ?? 0) - (order.get(idOf(b)) ?? 0));
  const done: JsonArray = [];
  for (const item of items) {
    const place = order.get(idOf(item));
    let at = done.length;
    for (; at > 0; at--) {
      const before = order.get(idOf(done[at - 1] ?? null));
      if (place !== undefined && before !== undefined && place >= before) break;
    }
    done.splice(at, 0, item);
  }
  return done;
}
