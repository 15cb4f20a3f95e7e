import { equal, isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import type { Schema } from '../../model/kubernetes/index.js';
import { formatCheck, compilePattern } from '../cel/index.js';
import { Correlation } from './correlation.js';
import { ValueResult, numberText, toFieldErrors } from './value-result.js';
import type { FieldError } from '../errors/index.js';

/** What of the traversal changes on the way down. */
interface Place {
  /** Path from the validated value, in the form messages use: `spec.items[0].name`. */
  readonly path: string;
  /** On update: this value with the one it replaces, where they can be paired. */
  readonly pair: Correlation | undefined;
  /** Errors of a root's apiVersion and kind are never forgiven. */
  readonly root: boolean;
}

/**
 * Validates a value against a schema. With `old`, violations in parts that did not change are forgiven.
 * `base` is the path of the value itself (`status` for a status update), '' for a whole object.
 */
export function validateValue(
  value: Json,
  schema: Schema,
  options: { readonly base?: string; readonly old?: Json } = {},
): FieldError[] {
  const pair = options.old === undefined ? undefined : new Correlation(value, options.old, schema);
  return toFieldErrors(visit(value, schema, { path: '', pair, root: true }).violations, options.base ?? '');
}

function visit(value: Json, schema: Schema, place: Place): ValueResult {
  const result = validateHere(value, schema, place);
  if (result.valid || place.pair?.unchanged !== true) return result;
  const forgiven = new ValueResult();
  forgiven.matched = result.matched;
  return forgiven;
}

function validateHere(value: Json, schema: Schema, place: Place): ValueResult {
  const result = new ValueResult();
  checkType(value, schema, place.path, result);
  if (value !== null) {
    checkCombinations(value, schema, place, result);
    if (typeof value === 'string') checkText(value, schema, place.path, result);
    else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, schema, place.path, result);
    else if (Array.isArray(value)) checkList(value, schema, place, result);
  }
  checkEnum(value, schema, place.path, result);
  if (isObject(value)) checkObject(value, schema, place, result);
  result.matched++;
  return result;
}

const GO_TYPES: ReadonlyMap<string, string> = new Map([
  ['integer', 'int64'],
  ['number', 'float64'],
]);

function typesOf(schema: Schema): string[] {
  if (schema.intOrString === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

/** A format that Kubernetes checks; others are as if they were not there. */
const formatOf = (schema: Schema): string =>
  schema.format !== undefined && formatCheck(schema.format) !== undefined ? schema.format : '';

function jsonType(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function checkType(value: Json, schema: Schema, path: string, result: ValueResult): void {
  const types = typesOf(schema);
  const format = formatOf(schema);
  if (types.length === 0 && format === '') return;
  result.matched++;
  const actual = jsonType(value);
  const fail = (wanted: string, got: string): void => {
    result.matched--;
    result.add({
      kind: 'type',
      name: path,
      value: got,
      message: `${path} in body must be of type ${wanted}: ${JSON.stringify(got)}`,
    });
  };
  if (value === null) {
    if (types.length > 0 && schema.nullable !== true) fail(types.join(','), 'null');
    return;
  }
  const fits = types.includes(actual) || (actual === 'integer' && types.includes('number'));
  const textual = typeof value === 'string' || Array.isArray(value);
  if (!textual && format !== '' && !fits) fail(format, GO_TYPES.get(actual) ?? '');
  else if (textual && format !== '' && !types.includes('number') && !types.includes('integer')) return;
  else if (!fits) fail(types.join(','), actual);
}

function checkText(value: string, schema: Schema, path: string, result: ValueResult): void {
  const size = schema.maxLength === undefined && schema.minLength === undefined ? 0 : Array.from(value).length;
  if (schema.maxLength !== undefined && size > schema.maxLength)
    result.add({ kind: 'too-long', name: path, max: schema.maxLength });
  else if (schema.minLength !== undefined && size < schema.minLength) {
    result.add({
      kind: 'invalid',
      name: path,
      value,
      message: `${path} in body should be at least ${schema.minLength} chars long`,
    });
  } else if (schema.pattern !== undefined && !compilePattern(schema.pattern).test(value)) {
    result.add({ kind: 'invalid', name: path, value, message: `${path} in body should match '${schema.pattern}'` });
  }
  const format = formatOf(schema);
  if (format !== '' && formatCheck(format)?.(value) === false) {
    result.add({
      kind: 'type',
      name: path,
      value,
      message: `${path} in body must be of type ${format}: ${JSON.stringify(value)}`,
    });
  }
  result.matched++;
}

function checkNumber(value: number | bigint, schema: Schema, path: string, result: ValueResult): void {
  const say = (message: string): void =>
    result.add({ kind: 'invalid', name: path, value, message: `${path} in body should be ${message}` });
  const { multipleOf } = schema;
  // The real server compares integers with bounds that it has cut to integers.
  const bound = (limit: number | undefined): number | undefined =>
    limit === undefined || jsonType(value) === 'number' ? limit : Math.trunc(limit);
  const minimum = bound(schema.minimum);
  const maximum = bound(schema.maximum);
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(Number(value), multipleOf))
    say(`a multiple of ${numberText(multipleOf)}`);
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    say(`greater than ${schema.exclusiveMinimum === true ? '' : 'or equal to '}${numberText(minimum)}`);
  }
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    say(`less than ${schema.exclusiveMaximum === true ? '' : 'or equal to '}${numberText(maximum)}`);
  }
  result.matched++;
}

/** As Go's strconv sees it: the quotient has no decimals. */
const isMultiple = (value: number, factor: number): boolean =>
  Number.isInteger(factor < 1 ? (1 / factor) * value : value / factor);

function checkEnum(value: Json, schema: Schema, path: string, result: ValueResult): void {
  if (schema.enum === undefined || schema.enum.length === 0) return;
  // A null is checked by its type alone, unless the enum names it.
  if (schema.enum.some((allowed) => equal(allowed, value))) return;
  result.add({ kind: 'enum', name: path, value, allowed: schema.enum });
}

function checkList(value: JsonArray, schema: Schema, place: Place, result: ValueResult): void {
  const { path } = place;
  if (schema.items !== undefined) {
    for (const [index, item] of value.entries())
      result.merge(
        visit(item, schema.items, { path: `${path}[${index}]`, pair: place.pair?.index(index), root: false }),
      );
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    result.add({
      kind: 'invalid',
      name: path,
      value: value.length,
      message: `${path} in body should have at least ${schema.minItems} items`,
    });
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    result.add({ kind: 'too-many', name: path, actual: value.length, max: schema.maxItems });
  result.matched++;
}

function checkObject(value: JsonObject, schema: Schema, place: Place, result: ValueResult): void {
  const { path } = place;
  const names = Object.keys(value).filter((name) => own(value, name) !== undefined);
  if (schema.minProperties !== undefined && names.length < schema.minProperties) {
    result.add({
      kind: 'invalid',
      name: path,
      value: names.length,
      message: `${path} in body should have at least ${schema.minProperties} properties`,
    });
  }
  if (schema.maxProperties !== undefined && names.length > schema.maxProperties)
    result.add({ kind: 'too-many', name: path, actual: names.length, max: schema.maxProperties });
  const member = (name: string, property: Schema, inside: string): void => {
    const own_ = own(value, name);
    if (own_ === undefined) return;
    const forgiving = !(place.root && (name === 'apiVersion' || name === 'kind'));
    result.merge(
      visit(own_, property, { path: inside, pair: forgiving ? place.pair?.key(name) : undefined, root: false }),
    );
  };
  for (const name of names) {
    if (schema.properties?.has(name) === true) continue;
    if (schema.additionalProperties === false) {
      result.add({
        kind: 'invalid',
        name: path,
        value: name,
        message: `${path}.${name} in body is a forbidden property`,
      });
    } else if (typeof schema.additionalProperties === 'object')
      member(name, schema.additionalProperties, `${path}.${name}`);
  }
  for (const [name, property] of schema.properties ?? [])
    member(name, property, path === '' ? name : `${path}.${name}`);
  for (const name of schema.required ?? [])
    if (own(value, name) === undefined) result.add({ kind: 'required', name: `${path}.${name}` });
  result.matched++;
}

/** anyOf, oneOf, allOf, not. Branches of them are never forgiven: only whole values are. */
function checkCombinations(value: Json, schema: Schema, place: Place, result: ValueResult): void {
  const quoted = JSON.stringify(place.path);
  const run = (branch: Schema): ValueResult => validateHere(value, branch, place);
  if (schema.anyOf !== undefined) checkAnyOf(schema.anyOf.map(run), quoted, result);
  if (schema.oneOf !== undefined) checkOneOf(schema.oneOf.map(run), quoted, result);
  if (schema.allOf !== undefined) {
    const results = schema.allOf.map(run);
    for (const one of results) result.merge(one);
    const valid = results.filter((one) => one.valid).length;
    if (valid !== results.length)
      result.add({
        kind: 'composite',
        message: `${quoted} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      });
  }
  if (schema.not !== undefined && run(schema.not).valid)
    result.add({ kind: 'composite', message: `${quoted} must not validate the schema (not)` });
  result.matched++;
}

const best = (results: readonly ValueResult[]): ValueResult | undefined =>
  results.reduce<ValueResult | undefined>(
    (top, one) => (top === undefined || one.matched > top.matched ? one : top),
    undefined,
  );

function checkAnyOf(results: readonly ValueResult[], quoted: string, result: ValueResult): void {
  const success = results.find((one) => one.valid);
  if (success === undefined)
    result.add({ kind: 'composite', message: `${quoted} must validate at least one schema (anyOf)` });
  const reported = success ?? best(results);
  if (reported !== undefined) result.merge(reported);
}

function checkOneOf(results: readonly ValueResult[], quoted: string, result: ValueResult): void {
  const valid = results.filter((one) => one.valid);
  if (valid.length === 1 && valid[0] !== undefined) {
    result.merge(valid[0]);
    return;
  }
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  result.add({ kind: 'composite', message: `${quoted} must validate one and only one schema (oneOf). ${found}` });
  const reported = valid.length === 0 ? best(results) : undefined;
  if (reported !== undefined) result.merge(reported);
}
