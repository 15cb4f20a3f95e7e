import { isArray, type Json } from '../../model/json/index.js';
import { indexValue } from './cell.js';
import { values, within, type Frame } from './frame.js';
import { bindValue, type Scope } from './scope.js';
import type { Pattern } from './syntax.js';
import { JqError, formatValue } from './values.js';

/** The scopes in which the names of a pattern are bound to the parts of a value. */
export function* bindings(pattern: Pattern, value: Json, frame: Frame): Iterable<Scope | undefined> {
  switch (pattern.kind) {
    case 'name': {
      yield bindValue(frame.scope, pattern.name, value);
      return;
    }
    case 'list': {
      if (value !== null && !isArray(value)) throw new JqError(`expected an array but got: ${formatValue(value)}`);
      yield* each(
        pattern.items.map((item, at) => ({ pattern: item, value: value?.[at] ?? null })),
        frame,
      );
      return;
    }
    case 'fields': {
      yield* eachField(pattern.fields, value, frame);
      return;
    }
    default:
      pattern satisfies never;
  }
}

function* each(parts: readonly { pattern: Pattern; value: Json }[], frame: Frame): Iterable<Scope | undefined> {
  const [part, ...rest] = parts;
  if (part === undefined) {
    yield frame.scope;
    return;
  }
  for (const scope of bindings(part.pattern, part.value, frame)) yield* each(rest, within(frame, scope));
}

function* eachField(
  fields: Extract<Pattern, { kind: 'fields' }>['fields'],
  value: Json,
  frame: Frame,
): Iterable<Scope | undefined> {
  const [field, ...rest] = fields;
  if (field === undefined) {
    yield frame.scope;
    return;
  }
  for (const key of values(field.key, frame, value)) {
    if (typeof key !== 'string') throw new JqError(`expected a string for object key but got: ${formatValue(key)}`);
    const part = indexValue(value, key);
    const scope = field.name === '' ? frame.scope : bindValue(frame.scope, field.name, part);
    for (const inner of field.pattern === undefined ? [scope] : bindings(field.pattern, part, within(frame, scope)))
      yield* eachField(rest, value, within(frame, inner));
  }
}
