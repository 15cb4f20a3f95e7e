import { compareText } from '../../model/go/index.js';
import { isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import type { Schema } from '../../model/kubernetes/index.js';
import { duplicateField, invalidField, type FieldError } from '../errors/index.js';

/** Items of sets and keys of list maps must not repeat. */
export function validateListTypes(value: Json | undefined, schema: Schema, path = ''): FieldError[] {
  if (Array.isArray(value))
    return [
      ...ownErrors(value, schema, path),
      ...value.flatMap((item, index) =>
        schema.items === undefined ? [] : validateListTypes(item, schema.items, `${path}[${index}]`),
      ),
    ];
  if (!isObject(value)) return [];
  const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return Object.keys(value)
    .sort(compareText)
    .flatMap((name) => {
      const property = schema.properties?.get(name);
      if (property !== undefined)
        return validateListTypes(own(value, name), property, path === '' ? name : `${path}.${name}`);
      return additional === undefined ? [] : validateListTypes(own(value, name), additional, `${path}[${name}]`);
    });
}

function ownErrors(value: JsonArray, schema: Schema, path: string): FieldError[] {
  if (schema.listType === 'set')
    return repeated(value).map((index) => duplicateField(`${path}[${index}]`, value[index] ?? null));
  if (schema.listType !== 'map') return [];
  const wrong = value.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0)
    return [invalidField(`${path}[${wrong}]`, value[wrong], 'must be an object for an array of list-type map')];
  const keys = value.map((item) => keyOf(item, schema.listMapKeys ?? []));
  return repeated(keys).map((index) => duplicateField(`${path}[${index}]`, keys[index] ?? null));
}

function keyOf(item: Json, names: readonly string[]): JsonObject {
  const key: [string, Json][] = [];
  for (const name of [...names].sort(compareText)) {
    const value = isObject(item) ? own(item, name) : undefined;
    if (value !== undefined) key.push([name, value]);
  }
  return Object.fromEntries(key);
}

/** The index of the second appearance of each repeated value. */
function repeated(values: JsonArray): number[] {
  const seen = new Map<string, number>();
  const found: number[] = [];
  for (const [index, value] of values.entries()) {
    const text = canonical(value);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    if (times === 1) found.push(index);
  }
  return found;
}

function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .sort(compareText)
      .map((name) => `${JSON.stringify(name)}:${canonical(own(value, name))}`)
      .join(',')}}`;
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value ?? null);
}
