import { compareText, formatGoValue, quoteGo } from '../go/index.js';
import { clone, drop, isArray, isObject, own, put, type Json, type JsonArray, type JsonObject } from '../json/index.js';
import { PatchFault } from './patch-fault.js';
import type { Schema } from '../kubernetes/index.js';
import {
  elementType,
  goType,
  listChangedInPlace,
  mergeList,
  noMergeKey,
  orderMerged,
  unknownDirective,
  withoutDirectives,
} from './strategic-merge-list.js';

const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const ELEMENT_ORDER = '$setElementOrder';

/**
 * The object after a strategic merge patch: as a merge patch, but lists merge by the keys that the schema names, and
 * the directives `$patch`, `$retainKeys`, `$setElementOrder/x` and `$deleteFromPrimitiveList/x` are obeyed.
 * Kinds without a schema (custom resources) cannot be patched this way. The given values stay as they are.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  if (schema === undefined) throw new PatchFault('malformed', 'strategic merge patch format is not supported');
  return mergeMap(clone(document), clone(patch), schema);
}

/** Merges `patch` into `original`; both are copies that may be changed. */
function mergeMap(original: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  if (Object.hasOwn(patch, '$patch')) return obeyMapDirective(patch);
  retainKeys(original, patch);
  for (const key of sortedKeys(patch)) if (key.startsWith(ELEMENT_ORDER)) setElementOrder(original, patch, key, schema);
  for (const patchKey of sortedKeys(patch)) {
    const isDeletion = patchKey.startsWith(DELETE_FROM_LIST);
    const key = isDeletion ? listName(patchKey, DELETE_FROM_LIST, 'invalid patch format of primitive list') : patchKey;
    mergeMember(original, key, own(patch, patchKey) ?? null, schema, isDeletion);
  }
  return original;
}

function mergeMember(original: JsonObject, key: string, value: Json, schema: Schema, isDeletion: boolean): void {
  if (value === null) {
    drop(original, key);
    return;
  }
  const current = own(original, key);
  if (current === undefined || goType(current) !== goType(value)) {
    if (!isDeletion) putOrDrop(original, key, withoutDirectives(withoutNulls(value)));
  } else if (isObject(current) && isObject(value)) {
    const field = fieldSchema(schema, key);
    put(original, key, strategyOf(field) === 'replace' ? value : mergeMap(current, value, field));
  } else if (isArray(current) && isArray(value)) {
    const field = listSchema(schema, key);
    const merges = strategyOf(field) === 'merge' || isDeletion;
    put(original, key, merges ? mergeList(current, value, field, { isDeletion, mergeMap }) : value);
  } else putOrDrop(original, key, withoutDirectives(value));
}

function putOrDrop(object: JsonObject, key: string, value: Json | undefined): void {
  if (value === undefined) drop(object, key);
  else put(object, key, value);
}

function obeyMapDirective(patch: JsonObject): JsonObject {
  const directive = patch.$patch;
  if (directive === 'delete') return {};
  if (directive === 'replace') {
    drop(patch, '$patch');
    return patch;
  }
  throw unknownDirective(directive, patch);
}

/** `$retainKeys`: members of the original that it does not list go; the patch may only set those it lists. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, '$retainKeys')) return;
  const listed = patch.$retainKeys;
  drop(patch, '$retainKeys');
  const wrong = new PatchFault('malformed', 'invalid patch format of retainKeys');
  if (!isArray(listed)) throw wrong;
  const keep = new Set<Json>(listed);
  for (const key of Object.keys(patch)) {
    const directive = key.startsWith(DELETE_FROM_LIST) || key.startsWith(ELEMENT_ORDER);
    if (own(patch, key) !== null && !directive && !keep.has(key)) throw wrong;
  }
  for (const key of Object.keys(original)) if (!keep.has(key)) drop(original, key);
}

/**
 * `$setElementOrder/x`: merges list x and brings it into the order given; items that only the server has keep their
 * place.
 */
function setElementOrder(original: JsonObject, patch: JsonObject, directive: string, schema: Schema): void {
  const order = asList(own(patch, directive));
  drop(patch, directive);
  const key = listName(directive, ELEMENT_ORDER, 'invalid patch format of setElementOrder list');
  const current = Object.hasOwn(original, key) ? asList(own(original, key)) : undefined;
  const change = Object.hasOwn(patch, key) ? asList(own(patch, key)) : undefined;
  const field = listSchema(schema, key);
  const mergeKey = field.patchMergeKey ?? '';
  checkOrder(change ?? [], order, mergeKey);
  if (current === undefined && change === undefined) return;
  const before = current ?? [];
  const merges = current !== undefined && change !== undefined && strategyOf(field) === 'merge';
  let merged: JsonArray = before;
  if (merges) merged = mergeList(before, change, field, { isDeletion: false, mergeMap });
  else if (change !== undefined) merged = current === undefined ? asList(withoutDirectives(clone(change))) : change;
  const isMap = elementType(before, change ?? []) === MAP_TYPE;
  const server = merges && isMap ? listChangedInPlace(before, change, mergeKey) : before;
  put(original, key, orderMerged(merged, order, server, mergeKey, isMap));
  drop(patch, key);
}

const MAP_TYPE = 'map[string]interface {}';

function asList(value: Json | undefined): JsonArray {
  if (isArray(value)) return value;
  throw new PatchFault('failed', `expected a []interface {}, but received a ${goType(value)}`);
}

/** The items of the patch must come in the order that the directive gives. */
function checkOrder(change: JsonArray, order: JsonArray, mergeKey: string): void {
  if (change.length === 0 || order.length === 0) return;
  const wanted = mergeKey === '' ? change : change.filter((item) => asMap(item).$patch !== 'delete');
  let next = 0;
  for (const item of order) {
    while (isDirective(wanted[next])) next++;
    const candidate = wanted[next];
    if (candidate === undefined) return;
    if (mergeKey === '' ? candidate === item : keyOf(candidate, mergeKey) === keyOf(item, mergeKey)) next++;
  }
  if (next < wanted.length) {
    throw new PatchFault(
      'failed',
      `The order in patch list:\n${formatGoValue(change)}\n doesn't match ${ELEMENT_ORDER} list:\n` +
        `${formatGoValue(order)}\n`,
    );
  }
}

function isDirective(item: Json | undefined): boolean {
  return isObject(item) && Object.hasOwn(item, '$patch');
}

function asMap(item: Json): JsonObject {
  if (isObject(item)) return item;
  throw new PatchFault('failed', `expected a ${MAP_TYPE}, but received a ${goType(item)}`);
}

function keyOf(item: Json, mergeKey: string): Json | undefined {
  const value = own(asMap(item), mergeKey);
  if (value === undefined) throw noMergeKey(asMap(item), mergeKey);
  return value;
}

function listName(directive: string, prefix: string, wrong: string): string {
  if (!directive.startsWith(`${prefix}/`)) throw new PatchFault('malformed', wrong);
  return directive.slice(prefix.length + 1);
}

function fieldSchema(schema: Schema, key: string): Schema {
  const field = schema.properties?.get(key);
  if (field !== undefined) return field;
  if (schema.properties === undefined)
    throw new PatchFault('failed', 'merging an object in json but data type is not struct, instead is: map');
  const struct = schema.go?.type.split('.').pop() ?? '';
  throw new PatchFault('failed', `unable to find api field in struct ${struct} for the json field ${quoteGo(key)}`);
}

function listSchema(schema: Schema, key: string): Schema {
  const field = fieldSchema(schema, key);
  if (field.type === 'object' && field.go?.pointer !== true)
    throw new PatchFault('failed', 'expected slice or array type, but got: struct');
  return field;
}

function strategyOf(field: Schema): string {
  return field.patchStrategy?.find((strategy) => strategy !== 'retainKeys') ?? '';
}

function withoutNulls(value: Json): Json {
  if (isArray(value)) value.forEach((item) => withoutNulls(item));
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = own(value, key);
      if (member === null || member === undefined) drop(value, key);
      else withoutNulls(member);
    }
  }
  return value;
}

function sortedKeys(object: JsonObject): string[] {
  return Object.keys(object).sort(compareText);
}
