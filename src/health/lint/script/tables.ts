import type { State } from './state.js';
import { literal, present, type Value } from './value.js';

/** The length of a list; equal lists have equal lengths. */
export function lengthOf(value: Value, state: State): Value {
  if (value.kind === 'place') return present(`#${value.place.key}`, `#${value.place.text}`);
  if (value.kind !== 'table') return present('#text', '');
  const table = state.tables.get(value.id);
  const isEmpty = table !== undefined && !table.isOpen && !table.fields.has('1');
  return isEmpty ? literal(0) : present(`#${value.id}`, '');
}

/** A function that is not followed may have set anything in the tables it was given. */
export function openTables(state: State, values: readonly (Value | undefined)[]): State {
  let after = state;
  for (const value of values) {
    const table = value?.kind === 'table' ? after.tables.get(value.id) : undefined;
    if (value?.kind === 'table' && table !== undefined) after = after.withTable(value.id, { ...table, isOpen: true });
  }
  return after;
}
