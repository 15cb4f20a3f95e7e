import { put, type Json, type JsonObject } from '../../model/json/index.js';
import type { Schema } from '../../model/kubernetes/index.js';

/** What stands in the output for a field that was not given (or was null); undefined where nothing stands. */
export function zeroField(schema: Schema): Json | undefined {
  const { go } = schema;
  if (go === undefined || go.omit === 'zero') return undefined;
  if (go.pointer) return go.omit === 'never' ? null : undefined;
  if (schema.properties !== undefined) return zeroStruct(schema.properties);
  switch (go.reads) {
    case 'quantity':
      return '0';
    case 'intOrString':
      return 0;
    case 'schemaOrBool':
      return false;
    case 'bytes':
    case undefined:
      break;
    default:
      return null;
  }
  return go.omit === 'never' ? zeroPlain(schema) : undefined;
}

function zeroPlain(schema: Schema): Json {
  if (schema.go?.reads === 'bytes') return null;
  switch (schema.type) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    default:
      return null;
  }
}

function zeroStruct(properties: ReadonlyMap<string, Schema>): JsonObject {
  const object: JsonObject = {};
  fillZeros(object, properties);
  return object;
}

const written = new WeakMap<ReadonlyMap<string, Schema>, readonly (readonly [string, Schema])[]>();

/** Adds the fields that are written whatever their value. */
export function fillZeros(object: JsonObject, properties: ReadonlyMap<string, Schema>): void {
  let always = written.get(properties);
  if (always === undefined) {
    always = [...properties].filter(([, schema]) => zeroField(schema) !== undefined);
    written.set(properties, always);
  }
  for (const [name, schema] of always) if (!Object.hasOwn(object, name)) put(object, name, zeroField(schema));
}
