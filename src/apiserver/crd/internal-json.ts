import { compareText } from '../../model/go/index.js';
import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { list, object, propertiesOf, text, type CrdVersion } from './crd.js';

/**
 * Some messages of the real server show a Go value of its internal types as JSON. These functions write the same text:
 * Go's field names in their order, empty fields included, `<`, `>` and `&` escaped.
 */
export function goJson(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? Number(inner) : inner)).replace(
    /[<>&]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
  );
}

export function ruleJson(rule: JsonObject): Json {
  return {
    Rule: text(rule.rule),
    Message: text(rule.message),
    MessageExpression: text(rule.messageExpression),
    Reason: rule.reason ?? null,
    FieldPath: text(rule.fieldPath),
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

/** Versions as the internal type has them; what all versions share has moved to the top level there. */
export function versionsJson(versions: readonly CrdVersion[], shared: { readonly schema: boolean }): Json {
  if (versions.length === 0) return null;
  return versions.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: shared.schema || version.schema === undefined ? null : { OpenAPIV3Schema: schemaJson(version.schema) },
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
}

const TEXTS = new Set(['ID', 'Schema', 'Description', 'Type', 'Format', 'Title', 'Pattern']);
const FLAGS = new Set([
  'Nullable',
  'ExclusiveMaximum',
  'ExclusiveMinimum',
  'UniqueItems',
  'XEmbeddedResource',
  'XIntOrString',
]);
const SCHEMA_LISTS = new Set(['AllOf', 'OneOf', 'AnyOf']);
/** Go's names of the internal schema, in order, with the keyword each one stands for. */
const FIELDS: readonly (readonly [string, string])[] = [
  ['ID', 'id'],
  ['Schema', '$schema'],
  ['Ref', '$ref'],
  ['Description', 'description'],
  ['Type', 'type'],
  ['Nullable', 'nullable'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Default', 'default'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Enum', 'enum'],
  ['MaxProperties', 'maxProperties'],
  ['MinProperties', 'minProperties'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['AllOf', 'allOf'],
  ['OneOf', 'oneOf'],
  ['AnyOf', 'anyOf'],
  ['Not', 'not'],
  ['Properties', 'properties'],
  ['AdditionalProperties', 'additionalProperties'],
  ['PatternProperties', 'patternProperties'],
  ['Dependencies', 'dependencies'],
  ['AdditionalItems', 'additionalItems'],
  ['Definitions', 'definitions'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource'],
  ['XIntOrString', 'x-kubernetes-int-or-string'],
  ['XListMapKeys', 'x-kubernetes-list-map-keys'],
  ['XListType', 'x-kubernetes-list-type'],
  ['XMapType', 'x-kubernetes-map-type'],
  ['XValidations', 'x-kubernetes-validations'],
];

export function schemaJson(schema: JsonObject): Json {
  return Object.fromEntries(FIELDS.map(([name, keyword]) => [name, fieldJson(name, own(schema, keyword))]));
}

function fieldJson(name: string, value: Json | undefined): Json {
  if (TEXTS.has(name)) return text(value);
  if (FLAGS.has(name)) return value === true;
  if (value === undefined || value === null) return null;
  if (SCHEMA_LISTS.has(name)) return list(value).map((item) => schemaJson(object(item)));
  switch (name) {
    case 'Not':
      return schemaJson(object(value));
    case 'Items':
      return { Schema: schemaJson(object(value)), JSONSchemas: null };
    case 'Properties':
      return Object.fromEntries(
        propertiesOf({ properties: value })
          .sort(([a], [b]) => compareText(a, b))
          .map(([key, property]) => [key, schemaJson(property)]),
      );
    case 'AdditionalProperties':
      return isObject(value) ? { Allows: true, Schema: schemaJson(value) } : { Allows: value === true, Schema: null };
    case 'XValidations':
      return list(value).map((rule) => ruleJson(object(rule)));
    default:
      return value;
  }
}
