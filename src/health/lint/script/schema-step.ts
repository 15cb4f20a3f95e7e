import { isArray, isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';

/** What a CRD says about one field or element below a value. */
export type SchemaStep =
  /** It says nothing: the value is free-form, or there is no schema. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'known'; readonly schema: JsonObject; readonly isRequired: boolean }
  /** The API server would drop a field of that name. */
  | { readonly kind: 'missing'; readonly others: readonly string[] };

const SILENT: SchemaStep = { kind: 'silent' };

/** The schema of `name` below `schema`; `[]` is any element of a list or value of a map. */
export function stepSchema(schema: JsonObject | undefined, name: string): SchemaStep {
  if (schema === undefined || isOpen(schema)) return SILENT;
  if (name === '[]') return stepElement(schema);
  const properties = schema.properties;
  if (!isObject(properties)) return stepAdditional(schema);
  const property = own(properties, name);
  if (isObject(property))
    return { kind: 'known', schema: property, isRequired: isRequired(schema, name) || property.default !== undefined };
  if (isObject(schema.additionalProperties) || schema.additionalProperties === true) return stepAdditional(schema);
  // Branches may name further fields; a schema this lint cannot follow must not cause a finding.
  if (['allOf', 'anyOf', 'oneOf'].some((key) => own(schema, key) !== undefined)) return SILENT;
  return { kind: 'missing', others: Object.keys(properties) };
}

function stepElement(schema: JsonObject): SchemaStep {
  if (isObject(schema.items)) return { kind: 'known', schema: schema.items, isRequired: true };
  return stepAdditional(schema);
}

function stepAdditional(schema: JsonObject): SchemaStep {
  return isObject(schema.additionalProperties)
    ? { kind: 'known', schema: schema.additionalProperties, isRequired: false }
    : SILENT;
}

function isOpen(schema: JsonObject): boolean {
  return (
    own(schema, 'x-kubernetes-preserve-unknown-fields') === true ||
    own(schema, 'x-kubernetes-embedded-resource') === true
  );
}

function isRequired(schema: JsonObject, name: string): boolean {
  return isArray(schema.required) && schema.required.includes(name);
}

/** The values that the schema allows, where it lists them. */
export function allowedValues(schema: JsonObject | undefined): readonly Json[] | undefined {
  if (schema === undefined || !isArray(schema.enum)) return undefined;
  return schema.nullable === true ? [...schema.enum, null] : schema.enum;
}

/** Whether a value of this Lua type can ever be stored there. */
export function mayHoldType(schema: JsonObject | undefined, type: 'string' | 'number' | 'boolean'): boolean {
  if (schema === undefined || isOpen(schema) || own(schema, 'x-kubernetes-int-or-string') === true) return true;
  switch (schema.type) {
    case 'string':
      return type === 'string';
    case 'integer':
    case 'number':
      return type === 'number';
    case 'boolean':
      return type === 'boolean';
    case 'object':
    case 'array':
      return false;
    default:
      return true;
  }
}

/**
 * The schema of a version's objects inside a CustomResourceDefinition: the storage version, else the first that has
 * one.
 */
export function schemaOfCrd(crd: JsonObject): JsonObject | undefined {
  const spec = isObject(crd.spec) ? crd.spec : {};
  const versions = (isArray(spec.versions) ? spec.versions : []).filter(isObject);
  const ordered = [
    ...versions.filter((version) => version.storage === true),
    ...versions.filter((version) => version.storage !== true),
  ];
  for (const version of [...ordered, { schema: spec.validation }]) {
    if (isObject(version.schema) && isObject(version.schema.openAPIV3Schema)) return version.schema.openAPIV3Schema;
  }
  return undefined;
}
