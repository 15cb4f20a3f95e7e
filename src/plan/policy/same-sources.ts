import { equal, isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';

/**
 * Whether two lists of sources say the same. Argo CD leaves out fields that are empty when it writes a status, so those
 * do not count.
 */
export function areSameSources(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return (
    a.length === b.length && a.every((source, index) => equal(withoutEmpty(source), withoutEmpty(b[index] ?? null)))
  );
}

export function areSame(a: Json | undefined, b: Json | undefined): boolean {
  return equal(withoutEmpty(a ?? null), withoutEmpty(b ?? null));
}

function withoutEmpty(value: Json): Json {
  if (isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const name of Object.keys(value)) {
    const field = own(value, name);
    if (field !== undefined && !isEmpty(field)) put(kept, name, withoutEmpty(field));
  }
  return kept;
}

function isEmpty(value: Json): boolean {
  return value === null || value === '' || value === false || (isArray(value) && value.length === 0);
}
