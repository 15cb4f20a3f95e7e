import { equal, isObject, own, type Json, type JsonArray } from '../../model/json/index.js';
import type { Schema } from '../../model/kubernetes/index.js';

/**
 * A value together with the one it replaces, as far as they can be paired: members by name, items of list maps by key.
 * A node that did not change is not held against an update ("ratcheting").
 */
export class Correlation {
  #same: boolean | undefined;

  constructor(
    readonly value: Json | undefined,
    readonly old: Json | undefined,
    readonly schema: Schema | undefined,
  ) {}

  get unchanged(): boolean {
    return (this.#same ??= equal(this.value ?? null, this.old ?? null));
  }

  key(name: string): Correlation | undefined {
    if (!isObject(this.value) || !isObject(this.old)) return undefined;
    const value = own(this.value, name);
    const old = own(this.old, name);
    const additional = this.schema?.additionalProperties;
    const schema = this.schema?.properties?.get(name) ?? (typeof additional === 'object' ? additional : undefined);
    return value === undefined || old === undefined || schema === undefined
      ? undefined
      : new Correlation(value, old, schema);
  }

  index(index: number): Correlation | undefined {
    if (!Array.isArray(this.value) || !Array.isArray(this.old) || this.schema?.items === undefined) return undefined;
    const old = pairedItem(this.value[index], this.old, this.schema);
    return old === undefined ? undefined : new Correlation(this.value[index], old, this.schema.items);
  }
}

/** The item of the old list with the same keys; only list maps can be paired. */
export function pairedItem(item: Json | undefined, old: JsonArray, schema: Schema): Json | undefined {
  const keys = schema.listMapKeys;
  if (schema.listType !== 'map' || keys === undefined || !isObject(item)) return undefined;
  return old.find(
    (candidate) =>
      isObject(candidate) && keys.every((key) => equal(keyValue(candidate, key, schema), keyValue(item, key, schema))),
  );
}

function keyValue(item: Json, key: string, schema: Schema): Json | undefined {
  return isObject(item) ? (own(item, key) ?? schema.items?.properties?.get(key)?.default) : undefined;
}
