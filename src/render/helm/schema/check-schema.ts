import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { quote } from './validation-error.js';
import { SchemaError, type Draft } from './schema.js';
import { childrenOf, type SchemaDocument } from './schema-document.js';

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const METASCHEMAS: Readonly<Record<Draft, string>> = {
  4: 'http://json-schema.org/draft-04/schema',
  6: 'http://json-schema.org/draft-06/schema',
  7: 'http://json-schema.org/draft-07/schema',
  2019: 'https://json-schema.org/draft/2019-09/schema',
  2020: 'https://json-schema.org/draft/2020-12/schema',
};

type Rule = (value: Json) => string | undefined;

const RULES: Readonly<Record<string, Rule>> = {
  type: typeRule,
  enum: kindRule('array'),
  required: stringsRule,
  properties: kindRule('object'),
  patternProperties: kindRule('object'),
  definitions: kindRule('object'),
  $defs: kindRule('object'),
  dependencies: kindRule('object'),
  dependentSchemas: kindRule('object'),
  dependentRequired: kindRule('object'),
  allOf: schemasRule,
  anyOf: schemasRule,
  oneOf: schemasRule,
  prefixItems: schemasRule,
  not: schemaRule,
  additionalProperties: schemaRule,
  propertyNames: schemaRule,
  contains: schemaRule,
  if: schemaRule,
  then: schemaRule,
  else: schemaRule,
  unevaluatedProperties: schemaRule,
  unevaluatedItems: schemaRule,
  $ref: kindRule('string'),
  $id: kindRule('string'),
  $schema: kindRule('string'),
  $anchor: kindRule('string'),
  $comment: kindRule('string'),
  title: kindRule('string'),
  description: kindRule('string'),
  format: kindRule('string'),
  pattern: kindRule('string'),
  uniqueItems: kindRule('boolean'),
  readOnly: kindRule('boolean'),
  writeOnly: kindRule('boolean'),
  deprecated: kindRule('boolean'),
  multipleOf: kindRule('number'),
  minimum: kindRule('number'),
  maximum: kindRule('number'),
  minLength: countRule,
  maxLength: countRule,
  minItems: countRule,
  maxItems: countRule,
  minProperties: countRule,
  maxProperties: countRule,
  minContains: countRule,
  maxContains: countRule,
  examples: kindRule('array'),
};

/** Refuses a schema that is none, as the metaschema of its draft would. */
export function checkSchema(document: Json, places: SchemaDocument): void {
  const problems: string[] = [];
  const open = [{ schema: document, pointer: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema, pointer } = next;
    const { draft } = places.resourceAt(pointer);
    if (isObject(schema)) {
      problems.push(...schemaErrorsOf(schema, pointer, draft));
      open.push(...childrenOf(schema, pointer));
    } else if (typeof schema !== 'boolean' || draft === 4)
      problems.push(
        `- at ${quote(pointer)}: got ${kindOf(schema)}, want ${draft === 4 ? 'object' : 'boolean or object'}`,
      );
  }
  if (problems.length === 0) return;
  const metaschema = METASCHEMAS[places.resourceAt('').draft];
  throw new SchemaError(
    '"file:///values.schema.json#" is not valid against metaschema: jsonschema validation failed with ' +
      `'${metaschema}#'\n${problems.sort().join('\n')}`,
  );
}

function schemaErrorsOf(schema: JsonObject, pointer: string, draft: Draft): string[] {
  // Draft 4 to 7 ignore what stands beside a reference, but still want it well formed.
  return Object.keys(schema).flatMap((keyword) => {
    if (!Object.hasOwn(RULES, keyword) || (keyword === '$id' && draft === 4)) return [];
    const problem = RULES[keyword]?.(own(schema, keyword) ?? null);
    return problem === undefined ? [] : [`- at ${quote(`${pointer}/${keyword}`)}: ${problem}`];
  });
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function kindRule(kind: string): Rule {
  return (value) => (kindOf(value) === kind ? undefined : `got ${kindOf(value)}, want ${kind}`);
}

function schemaRule(value: Json): string | undefined {
  return isObject(value) || typeof value === 'boolean' ? undefined : `got ${kindOf(value)}, want boolean or object`;
}

function schemasRule(value: Json): string | undefined {
  if (!Array.isArray(value)) return `got ${kindOf(value)}, want array`;
  return value.length === 0 ? 'minItems: got 0, want 1' : undefined;
}

function stringsRule(value: Json): string | undefined {
  if (!Array.isArray(value)) return `got ${kindOf(value)}, want array`;
  const wrong = value.find((item) => typeof item !== 'string');
  return wrong === undefined ? undefined : `got ${kindOf(wrong)}, want string`;
}

function countRule(value: Json): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return `got ${kindOf(value)}, want integer`;
  if (typeof value === 'number' && !Number.isInteger(value)) return 'got number, want integer';
  return value < 0 ? `minimum: got ${value}, want 0` : undefined;
}

function typeRule(value: Json): string | undefined {
  const names = Array.isArray(value) ? value : [value];
  const wrong = names.find((name) => typeof name !== 'string' || !TYPES.includes(name));
  return wrong === undefined && names.length > 0 ? undefined : `value must be one of ${TYPES.map(quote).join(', ')}`;
}
