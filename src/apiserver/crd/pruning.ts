import { compareText } from '../../model/go/index.js';
import { drop, isObject, own, type Json } from '../../model/json/index.js';
import type { Schema } from '../../model/kubernetes/index.js';

const META = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes fields that the schema does not know, in place, and says which. At the root of a resource and in embedded
 * ones apiVersion, kind and metadata always stay.
 */
export function prune(
  value: Json,
  schema: Schema,
  options: { readonly resource: boolean } = { resource: true },
): string[] {
  const unknown: string[] = [];
  walk(value, options.resource ? { ...schema, embeddedResource: true } : schema, '', unknown);
  return unknown.sort(compareText);
}

function walk(value: Json | undefined, schema: Schema | undefined, path: string, unknown: string[]): void {
  if (schema?.preserveUnknownFields === true) {
    walkPreserved(value, schema, path, unknown);
    return;
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => walk(item, schema?.items, `${path}[${index}]`, unknown));
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (schema?.embeddedResource === true && META.has(name)) continue;
    const property = schema?.properties?.get(name);
    const additional = schema?.additionalProperties;
    const inside = path === '' ? name : `${path}.${name}`;
    if (property !== undefined) walk(own(value, name), property, inside, unknown);
    else if (schema !== undefined && additional !== undefined) walkFree(own(value, name), additional, inside, unknown);
    else {
      unknown.push(inside);
      drop(value, name);
    }
  }
}

/** Values of a free-form map: with a schema they are pruned by it, with `true` nothing inside of them is known. */
function walkFree(value: Json | undefined, additional: Schema | boolean, path: string, unknown: string[]): void {
  walk(value, typeof additional === 'object' ? additional : undefined, path, unknown);
}

function walkPreserved(value: Json | undefined, schema: Schema | undefined, path: string, unknown: string[]): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => walkPreserved(item, schema.items, `${path}[${index}]`, unknown));
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (schema.embeddedResource === true && META.has(name)) continue;
    const property = schema.properties?.get(name);
    const inside = path === '' ? name : `${path}.${name}`;
    if (property !== undefined) walk(own(value, name), property, inside, unknown);
    else if (schema.additionalProperties !== undefined)
      walkFree(own(value, name), schema.additionalProperties, inside, unknown);
  }
}
