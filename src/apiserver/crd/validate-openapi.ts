import { own, type Json, type JsonObject } from '../../model/json/index.js';
import { forbiddenField, invalidField, requiredField, unsupportedField, type FieldError } from '../errors/index.js';
import { validateRules } from './validate-rules.js';
import { list, object, propertiesOf, text } from './crd.js';
import { goJson } from './internal-json.js';
import type { SchemaErrors, SchemaPlace } from './schema-place.js';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED: readonly string[] = ['additionalItems', 'patternProperties', 'definitions', 'dependencies'];
const META = new Set(['metadata', 'kind', 'apiVersion']);

/** The rules on a CRD's openAPIV3Schema that do not belong to structural schemas. */
export function validateOpenApi(schema: JsonObject, path: string, options: { readonly rules: boolean }): FieldError[] {
  const errors: SchemaErrors = { schema: [], cel: [] };
  visit(
    schema,
    { path, root: true, noDefaults: undefined, insideMeta: false, unpaired: undefined, rules: options.rules },
    errors,
  );
  return [...errors.schema, ...errors.cel];
}

function visit(schema: JsonObject, place: SchemaPlace, errors: SchemaErrors): void {
  const before = errors.schema.length;
  const { path } = place;
  errors.schema.push(...keywordErrors(schema, place));
  if (schema.uniqueItems === true)
    errors.schema.push(
      forbiddenField(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  visitChildren(schema, place, errors);
  errors.schema.push(...extensionErrors(schema, path), ...mapKeyErrors(schema, path));
  const rules = list(schema['x-kubernetes-validations']).map(object);
  if (rules.length > 0) validateRules(schema, rules, place, errors, before);
}

const isSet = (value: Json | undefined): value is Json => value !== undefined && value !== null;

function visitChildren(schema: JsonObject, place: SchemaPlace, errors: SchemaErrors): void {
  const { path } = place;
  const child = (json: JsonObject, at: string, change: Partial<SchemaPlace> = {}): void =>
    visit(json, { ...place, root: false, ...change, path: `${path}.${at}` }, errors);
  const properties = propertiesOf(schema);
  const additional = schema.additionalProperties ?? undefined;
  if (additional !== undefined && additional !== true && properties.length > 0)
    errors.schema.push(
      forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    );
  if (typeof additional === 'object')
    child(
      object(additional),
      'additionalProperties',
      place.insideMeta ? { noDefaults: 'inside additionalProperties applying to object metadata' } : {},
    );
  const resource = place.root || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, property] of properties) {
    const meta = resource && META.has(name);
    child(property, `properties[${name}]`, {
      ...(meta ? { insideMeta: true } : {}),
      ...(meta && place.root ? { noDefaults: `in top-level ${name}` } : {}),
    });
  }
  if (isSet(schema.not)) child(object(schema.not), 'not', { rules: false });
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const) {
    list(own(schema, keyword)).forEach((item, index) => child(object(item), `${keyword}[${index}]`, { rules: false }));
  }
  if (isSet(schema.items) && !Array.isArray(schema.items)) {
    child(
      object(schema.items),
      'items',
      schema['x-kubernetes-list-type'] === 'map' ? {} : { unpaired: place.unpaired ?? path },
    );
  }
}

function keywordErrors(schema: JsonObject, { path, noDefaults, insideMeta }: SchemaPlace): FieldError[] {
  const errors: FieldError[] = [];
  const type = text(schema.type);
  if (type !== '' && !TYPES.includes(type)) errors.push(unsupportedField(`${path}.type`, type, TYPES));
  if (schema.default !== undefined && schema.default !== null && noDefaults !== undefined)
    errors.push(forbiddenField(`${path}.default`, `must not be set ${noDefaults}`));
  if (text(schema.id) !== '') errors.push(forbiddenField(`${path}.id`, 'id is not supported'));
  for (const keyword of UNSUPPORTED) {
    const value = own(schema, keyword);
    if (value !== undefined && value !== null)
      errors.push(forbiddenField(`${path}.${keyword}`, `${keyword} is not supported`));
  }
  if (schema.$ref !== undefined && schema.$ref !== null)
    errors.push(forbiddenField(`${path}.$ref`, '$ref is not supported'));
  if (type === 'null')
    errors.push(forbiddenField(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  if (Array.isArray(schema.items))
    errors.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'));
  if (insideMeta && schema['x-kubernetes-embedded-resource'] === true)
    errors.push(forbiddenField(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  return errors;
}

/** `type` must be what an extension needs. */
function needsType(schema: JsonObject, wanted: string, extension: string, path: string): FieldError[] {
  const type = text(schema.type);
  if (type === wanted) return [];
  const says = `must be ${wanted} if ${extension} is specified`;
  return [type === '' ? requiredField(`${path}.type`, says) : invalidField(`${path}.type`, type, says)];
}

function extensionErrors(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const mapType = schema['x-kubernetes-map-type'];
  const listType = schema['x-kubernetes-list-type'];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalidField(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  if (typeof mapType === 'string') {
    errors.push(...needsType(schema, 'object', 'x-kubernetes-map-type', path));
    if (!['atomic', 'granular'].includes(mapType))
      errors.push(unsupportedField(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  if (typeof listType !== 'string') return [...errors, ...keysWithoutMap(schema, path)];
  const wrong = needsType(schema, 'array', 'x-kubernetes-list-type', path);
  errors.push(...wrong);
  if (wrong.length === 0 && listType === 'set') errors.push(...setItemErrors(object(schema.items), path));
  if (!['atomic', 'set', 'map'].includes(listType))
    errors.push(unsupportedField(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  errors.push(...keysWithoutMap(schema, path));
  if (listType === 'map') errors.push(...listMapErrors(schema, path));
  return errors;
}

function setItemErrors(items: JsonObject, path: string): FieldError[] {
  const says = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && typeof listType === 'string' && listType !== 'atomic')
    return [invalidField(`${path}.items.x-kubernetes-list-type`, listType, says)];
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalidField(`${path}.items.x-kubernetes-map-type`, listType ?? null, says)];
  return [];
}

function keysWithoutMap(schema: JsonObject, path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (list(schema['x-kubernetes-list-map-keys']).length === 0 || listType === 'map') return [];
  const says = 'must be map if x-kubernetes-list-map-keys is non-empty';
  const at = `${path}.x-kubernetes-list-type`;
  return [typeof listType === 'string' ? invalidField(at, listType, says) : requiredField(at, says)];
}

function listMapErrors(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keys = list(schema['x-kubernetes-list-map-keys']).map(text);
  if (keys.length === 0)
    errors.push(
      requiredField(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'),
    );
  if (schema.items === undefined || schema.items === null)
    return [...errors, requiredField(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  const items = object(schema.items);
  if (items.type !== 'object')
    return [
      ...errors,
      invalidField(
        `${path}.items.type`,
        text(items.type),
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    ];
  const properties = new Map(propertiesOf(items));
  keys.forEach((key, index) => {
    const type = text(properties.get(key)?.type);
    const invalidKeys = (why: string): FieldError => ({
      field: `${path}.x-kubernetes-list-map-keys`,
      type: 'FieldValueInvalid',
      detail: `Invalid value: ${goJson(keys)}: ${why}`,
    });
    if (!properties.has(key)) errors.push(invalidKeys('entries must all be names of item properties'));
    else if (type === 'array' || type === 'object')
      errors.push(
        invalidField(
          `${path}.items.properties[${key}].type`,
          text(items.type),
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (keys.indexOf(key) !== index) errors.push(invalidKeys('must not contain duplicate entries'));
  });
  return errors;
}

/** Keys of list maps must be there in every item; items of sets and list maps must not be null. */
function mapKeyErrors(schema: JsonObject, path: string): FieldError[] {
  const listType = text(schema['x-kubernetes-list-type']);
  if (schema.items === undefined || schema.items === null || (listType !== 'set' && listType !== 'map')) return [];
  const items = object(schema.items);
  const errors =
    items.nullable === true
      ? [forbiddenField(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)]
      : [];
  if (listType === 'set') return errors;
  const properties = new Map(propertiesOf(items));
  for (const key of list(schema['x-kubernetes-list-map-keys']).map(text)) {
    const property = properties.get(key);
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    const present = list(items.required).includes(key) || (property.default !== undefined && property.default !== null);
    if (!present)
      errors.push(
        requiredField(
          `${at}.default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      );
    if (property.nullable === true)
      errors.push(
        forbiddenField(`${at}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'),
      );
  }
  return errors;
}
