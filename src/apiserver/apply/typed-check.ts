import { compareText, formatGoValue, quoteGo } from '../../model/go/index.js';
import { isArray, isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { pathText, fieldElement, type PathElement } from '../../model/kubernetes/index.js';
import { itemElement } from './list-element.js';
import { formOf, type ListShape, type MapShape, type ScalarShape, type Shape } from './shape.js';

/** Where an applied configuration does not fit its schema, in the words of the real server; empty where it does. */
export function typeErrors(value: Json, shape: Shape): string[] {
  return errorsAt(value, shape).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
}

/** One error as it is, several as a list under a headline. */
export function typeErrorText(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

interface TypeError {
  readonly path: string;
  readonly message: string;
}

function errorsAt(value: Json, shape: Shape): TypeError[] {
  if (value === null) return [];
  const form = formOf(shape, value);
  if (form === 'map' && shape.map !== undefined)
    return isObject(value) ? mapErrors(value, shape.map) : [here(`expected map, got ${pointer(value)}`)];
  if (form === 'list' && shape.list !== undefined)
    return isArray(value) ? listErrors(value, shape.list) : [here(`expected list, got ${pointer(value)}`)];
  const wrong = scalarError(value, shape.scalar ?? 'untyped');
  return wrong === undefined ? [] : [here(wrong)];
}

function here(message: string): TypeError {
  return { path: '', message };
}

function below(element: PathElement, errors: readonly TypeError[]): TypeError[] {
  const prefix = errors.length === 0 ? '' : pathText([element]);
  return errors.map(({ path, message }) => ({ path: `${prefix}${path}`, message }));
}

function mapErrors(value: JsonObject, map: MapShape): TypeError[] {
  const errors: TypeError[] = [];
  for (const name of Object.keys(value)) {
    const child = own(value, name);
    if (child === undefined) continue;
    const shape = map.fields.get(name) ?? map.other;
    // The rest of this map is not checked, as in the real server.
    if (shape === undefined) return [...errors, ...below(fieldElement(name), [here('field not declared in schema')])];
    const found = errorsAt(child, shape);
    if (found.length > 0) errors.push(...below(fieldElement(name), found));
  }
  return errors;
}

function listErrors(items: JsonArray, list: ListShape): TypeError[] {
  const errors: TypeError[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let element: PathElement = { kind: 'index', index };
    if (list.kind !== 'atomic') {
      const found = itemElement(list, item);
      if ('error' in found) return [...errors, here(`element ${index}: ${found.error}`)];
      element = found.element;
      if (seen.has(found.text)) errors.push(here(`duplicate entries for key ${pathText([element])}`));
      seen.add(found.text);
    }
    errors.push(...below(element, errorsAt(item, list.item)));
  }
  return errors;
}

function scalarError(value: Json, scalar: ScalarShape): string | undefined {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  switch (scalar) {
    case 'numeric':
      return isNumber ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${pointer(value)}`;
    case 'untyped':
      return isNumber || typeof value === 'string' || typeof value === 'boolean'
        ? undefined
        : `expected any scalar, got ${pointer(value)}`;
    default:
      return scalar satisfies never;
  }
}

function pointer(value: Json): string {
  return `&{${formatGoValue(value)}}`;
}

function goType(value: Json): string {
  if (isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

/** A value in Go's own syntax (%#v). */
function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quoteGo(value);
  if (isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return formatGoValue(value);
  const members = Object.keys(value)
    .sort(compareText)
    .map((key) => `${quoteGo(key)}:${goSyntax(own(value, key) ?? null)}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}
