import { compareText } from '../../model/go/index.js';
import { equal, type JsonObject } from '../../model/json/index.js';
import { RE2JSException } from 're2js';
import { forbiddenField, invalidField, requiredField, type FieldError } from '../errors/index.js';
import { compilePattern } from '../cel/index.js';
import { list, object, propertiesOf, text } from './crd.js';

type Level = 'root' | 'item' | 'field';

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];
const WHERE: Readonly<Record<Level, string>> = {
  root: 'at the root',
  item: 'for specified array items',
  field: 'for specified object fields',
};

/** The rules that make a schema structural: every value has one declared type, and combinations only narrow it. */
export function validateStructural(schema: JsonObject, path: string): FieldError[] {
  return [...invariants(schema, 'root', path), ...completeness(schema, path)].sort((a, b) =>
    compareText(`${a.field}: ${a.detail}`, `${b.field}: ${b.detail}`),
  );
}

const has = (
  schema: JsonObject,
  extension: 'int-or-string' | 'preserve-unknown-fields' | 'embedded-resource',
): boolean => {
  switch (extension) {
    case 'int-or-string':
      return schema['x-kubernetes-int-or-string'] === true;
    case 'preserve-unknown-fields':
      return schema['x-kubernetes-preserve-unknown-fields'] === true;
    default:
      return schema['x-kubernetes-embedded-resource'] === true;
  }
};

function invariants(schema: JsonObject, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = text(schema.type);
  if (type === 'array' && schema.items === undefined) errors.push(requiredField(`${path}.items`, 'must be specified'));
  if (schema.items !== undefined && schema.items !== null)
    errors.push(...invariants(object(schema.items), 'item', `${path}.items`));
  for (const [name, property] of propertiesOf(schema))
    errors.push(...invariants(property, 'field', `${path}.properties[${name}]`));
  const additional = schema.additionalProperties;
  if (additional !== undefined && additional !== null) {
    if (level === 'root') errors.push(forbiddenField(`${path}.additionalProperties`, 'must not be used at the root'));
    if (typeof additional === 'object')
      errors.push(...invariants(object(additional), 'field', `${path}.additionalProperties`));
  }
  errors.push(
    ...extensionErrors(schema, path),
    ...combinationErrors(schema, path, skips(schema)),
    ...typeErrors(schema, level, path),
    ...metadataErrors(schema, level, path),
  );
  return errors;
}

function extensionErrors(schema: JsonObject, path: string): FieldError[] {
  if (!has(schema, 'int-or-string')) return [];
  const says = 'must be false if x-kubernetes-int-or-string is true';
  return [
    ...(has(schema, 'preserve-unknown-fields')
      ? [invalidField(`${path}.x-kubernetes-preserve-unknown-fields`, true, says)]
      : []),
    ...(has(schema, 'embedded-resource') ? [invalidField(`${path}.x-kubernetes-embedded-resource`, true, says)] : []),
  ];
}

function typeErrors(schema: JsonObject, level: Level, path: string): FieldError[] {
  const type = text(schema.type);
  const embedded = has(schema, 'embedded-resource');
  const errors: FieldError[] = [];
  if (embedded && type !== 'object') {
    const says = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? requiredField(`${path}.type`, says) : invalidField(`${path}.type`, type, says));
  } else if (type === '' && !has(schema, 'int-or-string') && !has(schema, 'preserve-unknown-fields')) {
    errors.push(requiredField(`${path}.type`, `must not be empty ${WHERE[level]}`));
  }
  if (embedded && schema.additionalProperties !== undefined)
    errors.push(
      forbiddenField(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalidField(`${path}.type`, type, 'must be object at the root'));
  if (embedded && !has(schema, 'preserve-unknown-fields') && propertiesOf(schema).length === 0) {
    errors.push(
      requiredField(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  }
  return errors;
}

/** apiVersion, kind and metadata belong to Kubernetes; a schema may only say what is true anyway, or restrict names. */
function metadataErrors(schema: JsonObject, level: Level, path: string): FieldError[] {
  const checked = level === 'root' || has(schema, 'embedded-resource');
  return propertiesOf(schema).flatMap(([name, property]) => {
    const at = `${path}.properties[${name}]`;
    const type = text(property.type);
    if ((name === 'kind' || name === 'apiVersion') && checked && type !== 'string')
      return [invalidField(`${at}.type`, type, 'must be string')];
    if (name !== 'metadata') return [];
    const errors = checked && type !== 'object' ? [invalidField(`${at}.type`, type, 'must be object')] : [];
    if (level === 'root' && !restrictsOnlyNames(property)) {
      errors.push(
        forbiddenField(
          at,
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      );
    }
    return errors;
  });
}

function restrictsOnlyNames(metadata: JsonObject): boolean {
  const others = Object.keys(metadata).filter((keyword) => !['type', 'properties', 'default'].includes(keyword));
  const names = propertiesOf(metadata).map(([name]) => name);
  return others.length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

/** anyOf integer or string is allowed beside x-kubernetes-int-or-string, alone or first in allOf. */
function skips(schema: JsonObject): { anyOf: boolean; firstAllOf: boolean } {
  const first = object(list(schema.allOf)[0]);
  return { anyOf: equal(schema.anyOf, INT_OR_STRING), firstAllOf: equal(first.anyOf, INT_OR_STRING) };
}

function combinationErrors(
  schema: JsonObject,
  path: string,
  skip: { anyOf: boolean; firstAllOf: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  const nested = (json: JsonObject, at: string, skipAnyOf = false): void =>
    void errors.push(...nestedErrors(json, at, skipAnyOf));
  if (!skip.anyOf) list(schema.anyOf).forEach((item, index) => nested(object(item), `${path}.anyOf[${index}]`));
  list(schema.allOf).forEach((item, index) =>
    nested(object(item), `${path}.allOf[${index}]`, skip.firstAllOf && index === 0),
  );
  list(schema.oneOf).forEach((item, index) => nested(object(item), `${path}.oneOf[${index}]`));
  if (schema.not !== undefined && schema.not !== null) nested(object(schema.not), `${path}.not`);
  const pattern = text(schema.pattern);
  const violation = pattern === '' ? undefined : patternError(pattern);
  if (violation !== undefined)
    errors.push(
      invalidField(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${violation}`),
    );
  return errors;
}

function patternError(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}

/** Inside of anyOf, allOf, oneOf and not only value validations may stand. */
function nestedErrors(schema: JsonObject, path: string, skipAnyOf: boolean): FieldError[] {
  const errors = combinationErrors(schema, path, { anyOf: skipAnyOf, firstAllOf: false });
  if (schema.items !== undefined) errors.push(...nestedErrors(object(schema.items), `${path}.items`, false));
  for (const [name, property] of propertiesOf(schema))
    errors.push(...nestedErrors(property, `${path}.properties[${name}]`, false));
  const forbid = (wrong: boolean, keyword: string, says: string): void => {
    if (wrong) errors.push(forbiddenField(`${path}.${keyword}`, `must be ${says} to be structural`));
  };
  forbid(text(schema.type) !== '', 'type', 'empty');
  forbid(
    schema.additionalProperties !== undefined && schema.additionalProperties !== null,
    'additionalProperties',
    'undefined',
  );
  forbid(schema.default !== undefined && schema.default !== null, 'default', 'undefined');
  forbid(text(schema.title) !== '', 'title', 'empty');
  forbid(text(schema.description) !== '', 'description', 'empty');
  forbid(schema.nullable === true, 'nullable', 'false');
  forbid(has(schema, 'preserve-unknown-fields'), 'x-kubernetes-preserve-unknown-fields', 'false');
  forbid(has(schema, 'embedded-resource'), 'x-kubernetes-embedded-resource', 'false');
  forbid(has(schema, 'int-or-string'), 'x-kubernetes-int-or-string', 'false');
  forbid(list(schema['x-kubernetes-list-map-keys']).length > 0, 'x-kubernetes-list-map-keys', 'empty');
  forbid(text(schema['x-kubernetes-list-type']) !== '', 'x-kubernetes-list-type', 'undefined');
  forbid(text(schema['x-kubernetes-map-type']) !== '', 'x-kubernetes-map-type', 'undefined');
  forbid(list(schema['x-kubernetes-validations']).length > 0, 'x-kubernetes-validations', 'empty');
  if (propertiesOf(schema).some(([name]) => name === 'metadata'))
    errors.push(forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  return errors;
}

/** Every field that a combination at the root speaks of must be declared outside of it too. */
function completeness(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (outer: JsonObject | undefined, inner: JsonObject, outerPath: string, innerPath: string): void => {
    if (outer === undefined) {
      errors.push(requiredField(outerPath, `because it is defined in ${innerPath}`));
      return;
    }
    branches(inner, innerPath).forEach(([branch, at]) => visit(outer, branch, outerPath, at));
    if (inner.items !== undefined)
      visit(
        outer.items === undefined ? undefined : object(outer.items),
        object(inner.items),
        `${outerPath}.items`,
        `${innerPath}.items`,
      );
    const declared = new Map(propertiesOf(outer));
    for (const [name, property] of propertiesOf(inner))
      visit(declared.get(name), property, `${outerPath}.properties[${name}]`, `${innerPath}.properties[${name}]`);
  };
  branches(schema, path).forEach(([branch, at]) => visit(schema, branch, path, at));
  return errors;
}

function branches(schema: JsonObject, path: string): [JsonObject, string][] {
  const found: [JsonObject, string][] = [];
  for (const [keyword, items] of [
    ['allOf', schema.allOf],
    ['anyOf', schema.anyOf],
    ['oneOf', schema.oneOf],
  ] as const) {
    list(items).forEach((item, index) => found.push([object(item), `${path}.${keyword}[${index}]`]));
  }
  if (schema.not !== undefined && schema.not !== null) found.push([object(schema.not), `${path}.not`]);
  return found;
}
