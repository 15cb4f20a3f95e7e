import { RE2JS, RE2JSSyntaxException } from 're2js';
import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { checkSchema } from './check-schema.js';
import { isNumber } from './limits.js';
import { Schema, SchemaError } from './schema.js';
import { escape, SchemaDocument } from './schema-document.js';

const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];

/** A schema from its document. Only what it can reach is built, each place once, so that cycles end. */
export function compileSchema(document: Json): Schema {
  const places = new SchemaDocument(document);
  checkSchema(document, places);
  const compiler = new Compiler(places);
  const root = compiler.at('');
  compiler.finish();
  return root;
}

class Compiler {
  readonly #places: SchemaDocument;
  readonly #known = new Map<string, Schema>();
  readonly #open: Schema[] = [];

  constructor(places: SchemaDocument) {
    this.#places = places;
  }

  at(pointer: string): Schema {
    const known = this.#known.get(pointer);
    if (known !== undefined) return known;
    const schema = new Schema(pointer, this.#places.resourceAt(pointer).draft);
    this.#known.set(pointer, schema);
    this.#open.push(schema);
    return schema;
  }

  finish(): void {
    for (let schema = this.#open.pop(); schema !== undefined; schema = this.#open.pop()) this.#build(schema);
  }

  #build(schema: Schema): void {
    const resource = this.#places.resourceAt(schema.pointer);
    schema.resource = this.at(resource.pointer);
    if (schema.draft >= 2020 && schema.resource === schema) {
      schema.dynamicAnchors = new Map(
        [...resource.dynamicAnchors].map((name) => [name, this.at(resource.anchors.get(name) ?? '')]),
      );
    }
    const value = this.#places.valueAt(schema.pointer);
    if (typeof value === 'boolean') schema.flag = value;
    else if (!isObject(value) || Object.keys(value).length === 0) schema.flag = true;
    else new Keywords(schema, value, this).read();
  }

  reference(text: string, from: Schema): Schema {
    const pointer = this.#places.resolve(text, from.pointer);
    if (pointer !== undefined) return this.at(pointer);
    const anything = new Schema(from.pointer, from.draft);
    anything.flag = true;
    return anything;
  }
}

/** Reads the keywords of one object into its schema. */
class Keywords {
  constructor(
    readonly schema: Schema,
    readonly object: JsonObject,
    readonly compiler: Compiler,
  ) {}

  read(): void {
    const { schema } = this;
    const ref = this.#text('$ref');
    if (ref !== undefined) schema.ref = this.compiler.reference(ref, schema);
    if (schema.draft < 2019 && ref !== undefined) return;
    this.#combinations();
    this.#forObjects();
    this.#forItems();
    this.#forScalars();
    if (schema.draft >= 2019) this.#newer();
  }

  #combinations(): void {
    const { schema } = this;
    schema.allOf = this.#list('allOf');
    schema.anyOf = this.#list('anyOf');
    schema.oneOf = this.#list('oneOf');
    schema.not = this.#one('not');
    if (schema.draft < 7) return;
    schema.if = this.#one('if');
    if (schema.if === undefined) return;
    schema.then = this.#one('then');
    schema.else = this.#one('else');
  }

  #forObjects(): void {
    const { schema } = this;
    schema.properties = this.#map('properties');
    schema.patternProperties = [...this.#map('patternProperties')].map(([text, one]) => ({
      pattern: this.#expression(text, 'patternProperties'),
      schema: one,
    }));
    schema.additionalProperties = this.#flagOrOne('additionalProperties');
    schema.required = strings(own(this.object, 'required'));
    if (schema.draft >= 6) schema.propertyNames = this.#one('propertyNames');
    const dependencies = own(this.object, 'dependencies');
    if (isObject(dependencies)) {
      schema.dependencies = new Map(
        Object.keys(dependencies).map((name) => {
          const dependency = own(dependencies, name);
          return [name, Array.isArray(dependency) ? strings(dependency) : this.#below('dependencies', name)];
        }),
      );
    }
  }

  #forItems(): void {
    const { schema } = this;
    const isList = Array.isArray(own(this.object, 'items'));
    if (schema.draft >= 2020) {
      schema.firstItems = this.#list('prefixItems');
      schema.otherItems = this.#one('items');
    } else if (isList) {
      schema.firstItems = this.#list('items');
      schema.otherItems = this.#flagOrOne('additionalItems');
    } else schema.otherItems = this.#one('items');
    schema.uniqueItems = own(this.object, 'uniqueItems') === true;
    if (schema.draft >= 6) schema.contains = this.#one('contains');
  }

  #forScalars(): void {
    const { schema, object } = this;
    const type = own(object, 'type');
    schema.types = new Set(typeof type === 'string' ? [type] : strings(type));
    const choices = own(object, 'enum');
    if (Array.isArray(choices)) schema.choices = choices;
    if (schema.draft >= 6 && Object.hasOwn(object, 'const')) schema.constant = { value: own(object, 'const') ?? null };
    if (schema.draft < 2019) schema.format = this.#text('format') ?? '';
    const pattern = this.#text('pattern');
    if (pattern !== undefined) schema.pattern = { expression: this.#expression(pattern, 'pattern'), text: pattern };
    const limits = new Map<string, Json>();
    for (const name of LIMITS) {
      const limit = own(object, name);
      if (isNumber(limit)) limits.set(name, limit);
    }
    for (const name of ['Minimum', 'Maximum']) moveExclusive(object, limits, name);
    schema.limits = limits;
  }

  #newer(): void {
    const { schema } = this;
    const recursive = this.#text('$recursiveRef');
    if (recursive !== undefined) schema.recursiveRef = this.compiler.reference(recursive, schema);
    schema.recursiveAnchor = own(this.object, '$recursiveAnchor') === true;
    schema.dependentSchemas = this.#map('dependentSchemas');
    const required = own(this.object, 'dependentRequired');
    if (isObject(required))
      schema.dependentRequired = new Map(Object.keys(required).map((name) => [name, strings(own(required, name))]));
    schema.unevaluatedItems = this.#one('unevaluatedItems');
    schema.unevaluatedProperties = this.#one('unevaluatedProperties');
    const dynamic = this.#text('$dynamicRef');
    if (schema.draft < 2020) return;
    schema.dynamicAnchor = this.#text('$dynamicAnchor') ?? '';
    if (dynamic === undefined) return;
    const fragment = dynamic.split('#')[1] ?? '';
    schema.dynamicRef = {
      target: this.compiler.reference(dynamic, schema),
      anchor: fragment.startsWith('/') ? '' : fragment,
    };
  }

  #text(keyword: string): string | undefined {
    const value = own(this.object, keyword);
    return typeof value === 'string' ? value : undefined;
  }

  #below(...tokens: string[]): Schema {
    return this.compiler.at(this.schema.pointer + tokens.map((token) => `/${escape(token)}`).join(''));
  }

  #one(keyword: string): Schema | undefined {
    return Object.hasOwn(this.object, keyword) ? this.#below(keyword) : undefined;
  }

  #flagOrOne(keyword: string): Schema | boolean | undefined {
    const value = own(this.object, keyword);
    return typeof value === 'boolean' ? value : this.#one(keyword);
  }

  #list(keyword: string): Schema[] {
    const value = own(this.object, keyword);
    return Array.isArray(value) ? value.map((_item, index) => this.#below(keyword, String(index))) : [];
  }

  #map(keyword: string): ReadonlyMap<string, Schema> {
    const value = own(this.object, keyword);
    return new Map(isObject(value) ? Object.keys(value).map((key) => [key, this.#below(keyword, key)]) : []);
  }

  #expression(text: string, keyword: string): RE2JS {
    try {
      return RE2JS.compile(text);
    } catch (error) {
      if (error instanceof RE2JSSyntaxException)
        throw new SchemaError(
          `invalid regex ${JSON.stringify(text)} at "${this.schema.location}/${keyword}": ${error.message}`,
        );
      throw error;
    }
  }
}

/** Draft 4 says `exclusiveMinimum: true` beside `minimum`. */
function moveExclusive(object: JsonObject, limits: Map<string, Json>, name: string): void {
  const plain = name.toLowerCase();
  const limit = limits.get(plain);
  if (own(object, `exclusive${name}`) !== true || limit === undefined) return;
  limits.delete(plain);
  limits.set(`exclusive${name}`, limit);
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
