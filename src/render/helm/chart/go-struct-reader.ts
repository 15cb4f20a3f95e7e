import { compareText, formatFloat } from '../../../model/go/index.js';
import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';

/** A YAML value that Go cannot put into the field it is meant for. The message is that of encoding/json. */
export class StructError extends Error {}

/**
 * Reads the fields of a Go struct from JSON that was YAML: names in any case, null as nothing, and numbers or flags for
 * strings as sigs.k8s.io/yaml allows. `type` and `path` name the place in messages.
 */
export class StructReader {
  readonly #fields = new Map<string, Json>();

  constructor(
    object: JsonObject,
    readonly type: string,
    readonly path = '',
  ) {
    for (const key of Object.keys(object)) {
      const folded = key.toLowerCase();
      // encoding/json prefers the exact name, which comes later in the file or not.
      if (folded === key || !this.#fields.has(folded)) this.#fields.set(folded, own(object, key) ?? null);
    }
  }

  get(name: string): Json {
    return this.#fields.get(name.toLowerCase()) ?? null;
  }

  #place(name: string): string {
    return `${this.type}.${this.path}${name}`;
  }

  text(name: string): string {
    return asText(this.get(name), this.#place(name));
  }

  flag(name: string): boolean {
    const value = this.get(name);
    if (value === null) return false;
    return typeof value === 'boolean' ? value : wrong(value, this.#place(name), 'bool');
  }

  list(name: string, type: string): Json[] | undefined {
    const value = this.get(name);
    if (value === null) return undefined;
    return Array.isArray(value) ? value : wrong(value, this.#place(name), type);
  }

  texts(name: string): string[] {
    return (this.list(name, '[]string') ?? []).map((item) => asText(item, this.#place(name)));
  }

  textMap(name: string): ReadonlyMap<string, string> | undefined {
    const value = this.get(name);
    if (value === null) return undefined;
    if (!isObject(value)) return wrong(value, this.#place(name), 'map[string]string');
    return new Map(
      Object.keys(value)
        .sort(compareText)
        .map((key) => [key, asText(own(value, key) ?? null, this.#place(name))]),
    );
  }

  /** The structs of a list; undefined for each null among them. */
  structs(name: string, type: string): (StructReader | undefined)[] | undefined {
    return this.list(name, `[]*v2.${type}`)?.map((item) => {
      if (item === null) return undefined;
      return isObject(item)
        ? new StructReader(item, type, `${this.path}${name}.`)
        : wrong(item, this.#place(name), `v2.${type}`);
    });
  }
}

function asText(value: Json, field: string): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return wrong(value, field, 'string');
  return typeof value === 'number' && !Number.isInteger(value)
    ? formatFloat(value, 'g', undefined).replace(/^\+/, '')
    : String(value);
}

function wrong(value: Json, field: string, type: string): never {
  throw new StructError(`json: cannot unmarshal ${jsonKind(value)} into Go struct field ${field} of type ${type}`);
}

export function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
