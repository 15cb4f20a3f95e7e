import { formatGoFloat, formatGoValue } from '../../model/go/index.js';
import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { normalizeName } from '../../render/index.js';

/**
 * What one Application is made of: with Go templates as deep as it was written, else one level of texts with dots in
 * their names.
 */
export type Params = JsonObject;

/** `{a: {b: [1]}}` as `a.b.0: "1"`. */
export function flatten(params: Params): Record<string, string> {
  const flat: Record<string, string> = {};
  const walk = (value: Json, name: string): void => {
    if (isArray(value))
      value.forEach((item, index) => {
        walk(item, `${name}.${index}`);
      });
    else if (isObject(value))
      for (const key of Object.keys(value)) walk(own(value, key) ?? null, name === '' ? key : `${name}.${key}`);
    else put(flat, name, formatValue(value));
  };
  walk(params, '');
  return flat;
}

/** As Go prints what it read from JSON, where every number is a float. */
export function formatValue(value: Json): string {
  return typeof value === 'number' ? formatGoFloat(value) : formatGoValue(value);
}

/** `over` wins, as deep as both are objects. */
export function overlay(under: JsonObject, over: JsonObject): JsonObject {
  const result: JsonObject = { ...under };
  for (const key of Object.keys(over)) {
    const [mine, theirs] = [own(result, key), own(over, key) ?? null];
    put(result, key, isObject(mine) && isObject(theirs) ? overlay(mine, theirs) : theirs);
  }
  return result;
}

/** What a path says of itself; `file` where the path is that of a file. */
export function pathParams(path: string, file: string | undefined, isGo: boolean, prefix: string): Params {
  const basename = path.slice(path.lastIndexOf('/') + 1);
  const segments = path.split('/');
  const facts: Params = {
    path,
    basename,
    basenameNormalized: normalizeName(basename),
    ...(file === undefined ? {} : { filename: file, filenameNormalized: normalizeName(file) }),
  };
  if (isGo) {
    const path: Params = { ...facts, segments };
    return prefix === '' ? { path } : { [prefix]: { path } };
  }
  const name = prefix === '' ? 'path' : `${prefix}.path`;
  const params: Params = {};
  for (const [key, value] of Object.entries(facts)) put(params, key === 'path' ? name : `${name}.${key}`, value);
  for (const [index, segment] of segments.entries()) if (segment !== '') put(params, `${name}[${index}]`, segment);
  return params;
}
