import { clone, drop, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { Schema } from '../../model/kubernetes/index.js';

/** A null where the schema does not allow null. */
const isStrayNull = (value: Json | undefined, schema: Schema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

/**
 * Sets the schema's defaults in place, also inside of values that came from a default. A null that the schema does not
 * allow takes the default; without one it is removed (object members only, as in Kubernetes).
 */
export function applyDefaults(value: Json | undefined, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) setItemDefaults(value, schema.items);
  else if (isObject(value)) setMemberDefaults(value, schema);
}

function setItemDefaults(value: Json[], items: Schema | undefined): void {
  for (let index = 0; index < value.length; index++) {
    if (items?.default !== undefined && isStrayNull(value[index], items)) value[index] = clone(items.default);
    applyDefaults(value[index], items);
  }
}

function setMemberDefaults(value: JsonObject, schema: Schema): void {
  for (const [name, property] of schema.properties ?? []) {
    if (property.default === undefined) continue;
    const current = own(value, name);
    if (current === undefined || isStrayNull(current, property)) put(value, name, clone(property.default));
  }
  const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const name of Object.keys(value)) {
    const property = schema.properties?.get(name) ?? additional;
    if (additional?.default !== undefined && property === additional && isStrayNull(own(value, name), additional))
      put(value, name, clone(additional.default));
    applyDefaults(own(value, name), property);
  }
}

/** Removes nulls that the schema does not allow and has no default for. Runs before defaults. */
export function dropStrayNulls(value: Json | undefined, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) dropStrayNulls(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const name of Object.keys(value)) {
    const property = schema.properties?.get(name) ?? additional;
    const member = own(value, name);
    if (isStrayNull(member, property) && property?.default === undefined) drop(value, name);
    else dropStrayNulls(member, property);
  }
}
