import { isObject, own, put, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import type { KubeObject, Schema } from '../../model/kubernetes/index.js';
import { Base64Error, normalBase64 } from './base64.js';
import { asBadRequest } from './body-kind.js';
import { namedSchema } from './compile.js';
import { DecodeError, WrongTypeError, jsonKind } from './decode-error.js';
import { readIntOrString, readQuantity, readScalar, readTime } from './decode-scalar.js';
import { fillZeros, zeroField } from './zero-value.js';

/** An object as its type holds it, and the paths of fields that the type does not have. */
export interface Decoded {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
}

const JSON_SCHEMA_PROPS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
/** The real server stores these groups as JSON, where an empty list stays; in protobuf it is the same as none. */
const STORED_AS_JSON = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
/** Go's decoder remembers no more. */
const MAX_UNKNOWN = 100;
/** Only self-containing types reach this; each level costs a few frames of the stack. */
const MAX_DEPTH = 1000;

/**
 * Reads a body of a built-in kind as the real server does: decode into the Go type, store, read back. Nulls and zero
 * values go, fields that are always written come, quantities, times and base64 become canonical. Values that no type
 * describes (raw extensions, fieldsV1) are kept as they came and shared with `value`.
 * Throws the 400 that the real server answers where a value does not fit.
 */
export function decodeKind(
  value: JsonObject,
  as: { readonly group: string; readonly version: string; readonly kind: string; readonly schema: Schema },
): { object: KubeObject; unknownFields: readonly string[] } {
  try {
    const { object, unknownFields } = decode(value, as.schema, STORED_AS_JSON.has(as.group));
    return { object: object as KubeObject, unknownFields };
  } catch (error) {
    throw asBadRequest(error, as);
  }
}

/** The same without the sentence around the problem: throws DecodeProblem. */
export function decode(value: Json, schema: Schema, storedAsJson = false): Decoded {
  const decoder = new Decoder(storedAsJson, 0);
  const object = decoder.run(() => decoder.struct(value, schema));
  return { object, unknownFields: [...decoder.unknown] };
}

/**
 * One pass over a value. A wrong type is remembered (the first one wins) and the pass goes on, because a type that
 * reads its own JSON fails at once and then takes precedence: so does Go's decoder.
 */
class Decoder {
  readonly unknown = new Set<string>();
  /** Field names, list positions and map keys from the root; `#isField` marks field names. */
  readonly #path: (string | number)[] = [];
  readonly #isField: boolean[] = [];
  #struct = '';
  #error: { readonly error: DecodeError | WrongTypeError; readonly text: string } | undefined;

  constructor(
    readonly storedAsJson: boolean,
    readonly depth: number,
  ) {}

  run<T>(read: () => T): T {
    try {
      const result = read();
      if (this.#error === undefined) return result;
    } catch (error) {
      if (error instanceof WrongTypeError) throw new DecodeError(this.#describe(error));
      throw error;
    }
    throw new DecodeError(this.#error.text);
  }

  struct(value: Json, schema: Schema): JsonObject {
    const out: JsonObject = {};
    const { properties } = schema;
    if (!isObject(value) || properties === undefined) {
      this.#remember(new WrongTypeError(jsonKind(value), schema.go?.type ?? ''));
      return out;
    }
    if (this.#path.length + this.depth > MAX_DEPTH) throw new DecodeError('exceeded max depth');
    const outer = this.#struct;
    const type = schema.go?.type ?? '';
    for (const key of Object.keys(value)) {
      const field = properties.get(key);
      if (field === undefined) {
        this.#reportUnknown(key);
        continue;
      }
      this.#struct = type;
      this.#push(key, true);
      const read = this.#field(own(value, key) ?? null, field);
      this.#pop();
      if (read !== undefined) put(out, key, read);
    }
    if (schema.go?.inner === true && !this.storedAsJson) {
      delete out.kind;
      delete out.apiVersion;
    }
    this.#struct = outer;
    fillZeros(out, properties);
    return out;
  }

  /** A field's value, or undefined where the output has none. */
  #field(value: Json, schema: Schema): Json | undefined {
    if (value === null) return zeroField(schema);
    const read = this.#value(value, schema);
    const { go } = schema;
    if (go === undefined || go.pointer) return read;
    if (go.omit === 'zero') return read === null ? undefined : read;
    if (go.reads !== undefined && go.reads !== 'bytes') return read;
    if (go.omit === 'empty') return isEmpty(read, schema) ? undefined : read;
    return this.#storedEmpty(read, schema) ? null : read;
  }

  /** An empty list or map that storage does not keep apart from none. */
  #storedEmpty(read: Json, schema: Schema): boolean {
    return !this.storedAsJson && schema.properties === undefined && typeof read === 'object' && isEmpty(read, schema);
  }

  /** What a map has for a key without value: protobuf gives back empty bytes and empty lists there. */
  #storedNothing(element: Schema): Json {
    if (this.storedAsJson) return null;
    if (element.go?.reads === 'bytes') return '';
    return element.type === 'array' ? [] : null;
  }

  #value(value: Json, schema: Schema): Json {
    const reads = schema.go?.reads;
    if (reads !== undefined) return this.#custom(value, schema, reads);
    if (schema.properties !== undefined) return this.struct(value, schema);
    if (schema.type === 'array') return this.list(value, schema);
    if (schema.type === 'object') return this.#map(value, schema);
    try {
      return readScalar(value, schema);
    } catch (error) {
      return this.#remember(error);
    }
  }

  list(value: Json, schema: Schema): JsonArray {
    const { items } = schema;
    if (!Array.isArray(value) || items === undefined) {
      this.#remember(new WrongTypeError(jsonKind(value), schema.go?.type ?? ''));
      return [];
    }
    const out: JsonArray = [];
    for (const [index, item] of value.entries()) {
      this.#push(index, false);
      out.push(this.#field(item, items) ?? null);
      this.#pop();
    }
    return out;
  }

  #map(value: Json, schema: Schema): JsonObject {
    const out: JsonObject = {};
    const element = schema.additionalProperties;
    if (!isObject(value) || typeof element !== 'object') {
      this.#remember(new WrongTypeError(jsonKind(value), schema.go?.type ?? ''));
      return out;
    }
    for (const key of Object.keys(value)) {
      this.#push(key, false);
      put(out, key, this.#field(own(value, key) ?? null, element) ?? this.#storedNothing(element));
      this.#pop();
    }
    return out;
  }

  #custom(value: Json, schema: Schema, reads: NonNullable<NonNullable<Schema['go']>['reads']>): Json {
    switch (reads) {
      case 'quantity':
        return readQuantity(value);
      case 'time':
        return readTime(value, false);
      case 'microTime':
        return readTime(value, true);
      case 'intOrString':
        return readIntOrString(value);
      case 'bytes':
        return this.#bytes(value, schema);
      case 'rawExtension':
      case 'fields':
      case 'json':
        return value;
      case 'schemaOrBool':
        if (isObject(value)) return this.#nested((inner) => inner.struct(value, namedSchema(JSON_SCHEMA_PROPS)));
        if (typeof value === 'boolean') return value;
        throw new DecodeError('boolean or JSON schema expected');
      default:
        return this.#schemaOrList(value, reads);
    }
  }

  #schemaOrList(value: Json, reads: 'schemaOrArray' | 'schemaOrStrings'): Json {
    const props = namedSchema(JSON_SCHEMA_PROPS);
    if (isObject(value)) return this.#nested((inner) => inner.struct(value, props));
    if (!Array.isArray(value) || value.length === 0) return null;
    const list: Schema =
      reads === 'schemaOrArray'
        ? { type: 'array', items: props, go: { type: '[]v1.JSONSchemaProps', pointer: false, omit: 'never' } }
        : { type: 'array', items: STRING, go: { type: '[]string', pointer: false, omit: 'never' } };
    return this.#nested((inner) => inner.list(value, list));
  }

  /**
   * These types decode their content with a decoder of its own, which is not strict about unknown fields. What it
   * complains of is named by the field out here.
   */
  #nested(read: (inner: Decoder) => Json): Json {
    const inner = new Decoder(this.storedAsJson, this.depth + this.#path.length);
    const result = read(inner);
    if (inner.#error !== undefined) throw inner.#error.error;
    return result;
  }

  #bytes(value: Json, schema: Schema): Json {
    try {
      if (typeof value !== 'string') throw new WrongTypeError(jsonKind(value), schema.go?.type ?? '');
      return normalBase64(value);
    } catch (error) {
      return this.#remember(error instanceof Base64Error ? new DecodeError(error.message) : error);
    }
  }

  #remember(error: unknown): null {
    if (!(error instanceof WrongTypeError) && !(error instanceof DecodeError)) throw error;
    this.#error ??= { error, text: error instanceof WrongTypeError ? this.#describe(error) : error.message };
    return null;
  }

  #describe(error: WrongTypeError): string {
    const fields = this.#path.filter((_, index) => this.#isField[index]);
    return fields.length === 0
      ? error.message
      : error.at(this.#struct.slice(this.#struct.lastIndexOf('.') + 1), fields.join('.'));
  }

  #reportUnknown(key: string): void {
    if (this.unknown.size >= MAX_UNKNOWN) return;
    let text = '';
    for (const part of [...this.#path, key]) {
      const separator = text === '' ? '' : '.';
      text += typeof part === 'number' ? `[${part}]` : `${separator}${part}`;
    }
    this.unknown.add(text);
  }

  #push(part: string | number, isField: boolean): void {
    this.#path.push(part);
    this.#isField.push(isField);
  }

  #pop(): void {
    this.#path.pop();
    this.#isField.pop();
  }
}

const STRING: Schema = { type: 'string', go: { type: 'string', pointer: false, omit: 'never' } };

/** Empty as omitempty means it; a struct never is. */
function isEmpty(value: Json, schema: Schema): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return schema.properties === undefined && isObject(value) && Object.keys(value).length === 0;
}
