import { own, type Json, type JsonObject } from '../../model/json/index.js';
import type { CelRule, Schema } from '../../model/kubernetes/index.js';
import { list, object, propertiesOf, text } from './crd.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const TYPES = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);
const NUMBERS = [
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;
const FLAGS = ['exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems', 'nullable'] as const;

/** An openAPIV3Schema of a CRD as the schema that defaulting, pruning, apply and validation work on. */
export function compileSchema(json: JsonObject): Schema {
  const schema: Mutable<Schema> = {};
  const type = text(json.type);
  if (TYPES.has(type)) schema.type = type as NonNullable<Schema['type']>;
  if (text(json.format) !== '') schema.format = text(json.format);
  if (text(json.pattern) !== '') schema.pattern = text(json.pattern);
  for (const name of NUMBERS) {
    const value = own(json, name);
    if (typeof value === 'number') schema[name] = value;
  }
  for (const name of FLAGS) if (own(json, name) === true) schema[name] = true;
  if (json.default !== undefined && json.default !== null) schema.default = json.default;
  if (Array.isArray(json.enum)) schema.enum = json.enum;
  const required = list(json.required).filter((name): name is string => typeof name === 'string');
  if (required.length > 0) schema.required = required;
  compileNested(json, schema);
  compileExtensions(json, schema);
  return schema;
}

function compileNested(json: JsonObject, schema: Mutable<Schema>): void {
  const properties = propertiesOf(json);
  if (properties.length > 0)
    schema.properties = new Map(properties.map(([name, property]) => [name, compileSchema(property)]));
  const additional = json.additionalProperties;
  if (typeof additional === 'boolean') schema.additionalProperties = additional;
  else if (additional !== undefined && additional !== null)
    schema.additionalProperties = compileSchema(object(additional));
  if (json.items !== undefined && json.items !== null) schema.items = compileSchema(object(json.items));
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    const schemas = list(own(json, name));
    if (schemas.length > 0) schema[name] = schemas.map((item) => compileSchema(object(item)));
  }
  if (json.not !== undefined && json.not !== null) schema.not = compileSchema(object(json.not));
}

function compileExtensions(json: JsonObject, schema: Mutable<Schema>): void {
  const listType = text(json['x-kubernetes-list-type']);
  if (listType === 'atomic' || listType === 'set' || listType === 'map') schema.listType = listType;
  const keys = list(json['x-kubernetes-list-map-keys']).map(text);
  if (keys.length > 0) schema.listMapKeys = keys;
  const mapType = text(json['x-kubernetes-map-type']);
  if (mapType === 'atomic' || mapType === 'granular') schema.mapType = mapType;
  if (json['x-kubernetes-int-or-string'] === true) schema.intOrString = true;
  if (json['x-kubernetes-preserve-unknown-fields'] === true) schema.preserveUnknownFields = true;
  if (json['x-kubernetes-embedded-resource'] === true) schema.embeddedResource = true;
  const rules = list(json['x-kubernetes-validations']).map((rule) => readRule(object(rule)));
  if (rules.length > 0) schema.celRules = rules;
}

export function readRule(json: JsonObject): CelRule {
  const optional = (name: string): Json | undefined => {
    const value = own(json, name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const rule: Mutable<CelRule> = { rule: text(json.rule) };
  for (const name of ['message', 'messageExpression', 'reason', 'fieldPath'] as const) {
    const value = optional(name);
    if (typeof value === 'string') rule[name] = value;
  }
  if (typeof json.optionalOldSelf === 'boolean') rule.optionalOldSelf = json.optionalOldSelf;
  return rule;
}

const META: Schema = {
  type: 'object',
  properties: new Map([
    ['name', { type: 'string' }],
    ['generateName', { type: 'string' }],
  ]),
};
const TEXT: Schema = { type: 'string' };

/** The same schema with apiVersion, kind and the visible part of metadata, as rules at a resource's root see it. */
export function withTypeAndObjectMeta(schema: Schema): Schema {
  const properties = new Map(schema.properties ?? []);
  properties.set('apiVersion', TEXT);
  properties.set('kind', TEXT);
  properties.set('metadata', META);
  return { ...schema, properties };
}
