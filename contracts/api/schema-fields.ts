import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  own,
  textAt,
  textsAt,
} from '../../src/model/json/index.js';

/** Where a value is: names of properties, `[]` for what a list holds, `{}` for what a map holds. */
type FieldPath = readonly string[];

export interface Field {
  readonly path: FieldPath;
  readonly schema: JsonObject;
}

/** What values of a map are named. */
const KEY_OF_MAP = 'a';

/** What objects of one kind look like, as JSON schema. */
export class ObjectSchema {
  /** Every field, however deep, and what lists and maps hold; a schema within itself is not followed again. */
  readonly fields: readonly Field[];
  readonly #schemas: JsonObject;
  readonly #root: JsonObject;

  private constructor(root: JsonObject, schemas: JsonObject) {
    this.#root = root;
    this.#schemas = schemas;
    this.fields = [...this.#below(root, [], new Set())];
  }

  /** Of a kind in a document of OpenAPI v3. */
  static ofKind(document: JsonObject, kind: string): ObjectSchema {
    const schemas = objectAt(document, 'components', 'schemas') ?? {};
    const root = objectAt(schemas, Object.keys(schemas).find((key) => key.endsWith(`.${kind}`)) ?? '');
    if (root === undefined) throw new Error(`the document has no schema of ${kind}`);
    return new ObjectSchema(root, schemas);
  }

  /** Of objects like this one. */
  static like(sample: JsonObject): ObjectSchema {
    return new ObjectSchema(schemaLike(sample), {});
  }

  /** The object with this value in the field; what has to be on the way there and is not is made as the schema says. */
  placed(object: JsonObject, { path }: Field, value: Json): JsonObject {
    return this.#placed(object, this.#root, path, value) as JsonObject;
  }

  #placed(before: Json | undefined, schema: JsonObject, path: FieldPath, value: Json): Json {
    const [step, ...rest] = path;
    if (step === undefined) return value;
    const { schema: at } = this.#follow(schema);
    if (step === '[]') {
      const [first, ...others] = isArray(before) ? before : [];
      return [this.#placed(first, objectAt(at, 'items') ?? {}, rest, value), ...others];
    }
    const sound = isObject(before) ? before : this.#sound(at);
    const object = isObject(sound) ? sound : {};
    const key = step === '{}' ? KEY_OF_MAP : step;
    const below = step === '{}' ? objectAt(at, 'additionalProperties') : objectAt(at, 'properties', step);
    return { ...object, [key]: this.#placed(own(object, key), below ?? {}, rest, value) };
  }

  /** The least that the schema takes. */
  #sound(schema: JsonObject): Json {
    const { schema: at } = this.#follow(schema);
    const [first] = isArray(at.enum) ? at.enum : [];
    if (first !== undefined) return first;
    if (at.type === 'string') return at.format === 'date-time' ? '2026-01-02T03:04:05Z' : 'a';
    if (at.type === 'integer' || at.type === 'number') return numberAt(at, 'minimum') ?? 1;
    if (at.type === 'boolean') return true;
    if (at.type === 'array') return [];
    return Object.fromEntries(
      textsAt(at, 'required').map((name) => [name, this.#sound(objectAt(at, 'properties', name) ?? {})]),
    );
  }

  *#below(schema: JsonObject, path: FieldPath, names: ReadonlySet<string>): Generator<Field> {
    const { schema: at, name } = this.#follow(schema);
    if (path.length > 0) yield { path, schema: at };
    if (name !== undefined && names.has(name)) return;
    const inside = name === undefined ? names : new Set([...names, name]);
    const properties = objectAt(at, 'properties') ?? {};
    const steps: [string, Json | undefined][] = Object.keys(properties).map((key) => [key, own(properties, key)]);
    for (const [step, inner] of [...steps, ['[]', own(at, 'items')], ['{}', own(at, 'additionalProperties')]] as const)
      if (isObject(inner)) yield* this.#below(inner, [...path, step], inside);
  }

  #follow(schema: JsonObject): { readonly schema: JsonObject; readonly name: string | undefined } {
    const [all] = isArray(schema.allOf) ? schema.allOf : [];
    const reference = textAt(schema, '$ref') || (isObject(all) ? textAt(all, '$ref') : '');
    if (reference === '') return { schema, name: undefined };
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return { schema: objectAt(this.#schemas, name) ?? {}, name };
  }
}

function schemaLike(value: Json | undefined): JsonObject {
  if (isArray(value)) return { type: 'array', items: schemaLike(value[0]) };
  if (!isObject(value)) return { type: typeof value };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.keys(value).map((key) => [key, schemaLike(own(value, key))])),
  };
}

/** What is in a field of the object. */
export function valueIn(object: Json | undefined, { path }: Pick<Field, 'path'>): Json | undefined {
  return path.reduce<Json | undefined>((at, step) => {
    if (step === '[]') return isArray(at) ? at[0] : undefined;
    return isObject(at) ? own(at, step === '{}' ? KEY_OF_MAP : step) : undefined;
  }, object);
}
