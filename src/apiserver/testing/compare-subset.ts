import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';

/**
 * The part of `actual` that `expected` speaks of, so that the two can be compared as wholes and a difference is
 * reported field by field. Lists must have the same length, but conditions (lists of objects with a type) are looked up
 * by type.
 */
export function partOf(actual: Json | undefined, expected: Json | undefined): Json | undefined {
  if (isObject(expected) && isObject(actual)) return partOfObject(actual, expected);
  if (isArray(expected) && isArray(actual))
    return isConditionList(expected)
      ? conditionsOf(actual, expected)
      : actual.map((item, index) => partOf(item, expected[index]) ?? null);
  // `field: null` says that the field is absent.
  return actual === undefined && expected === null ? null : actual;
}

function partOfObject(actual: JsonObject, expected: JsonObject): JsonObject {
  const part: JsonObject = {};
  for (const key of Object.keys(expected)) put(part, key, partOf(own(actual, key), own(expected, key)));
  return part;
}

function isConditionList(list: readonly Json[]): boolean {
  return (
    list.length > 0 &&
    list.every((item) => isObject(item) && typeof item.type === 'string' && typeof item.status === 'string')
  );
}

function conditionsOf(actual: readonly Json[], expected: readonly Json[]): Json[] {
  return expected.map((item) => {
    const type = isObject(item) ? item.type : undefined;
    const found = actual.find((each) => isObject(each) && each.type === type);
    return partOf(found, item) ?? null;
  });
}
