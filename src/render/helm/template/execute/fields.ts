import { quoteText } from '../value/go-text.js';
import { ANY, GoTyped, type GoMethod, type GoType } from '../value/go-type.js';
import type { State, Val } from './state.js';
import {
  entryOf,
  GoMap,
  GoStringer,
  GoStruct,
  typeOf,
  zeroOf,
  type GoObject,
  type GoValue,
} from '../value/go-value.js';

/** Calls a method that a field name turned out to be. */
export type MethodCall = (method: GoMethod, receiver: GoValue) => Val;

/**
 * The value of a field: a method's result, a struct's field or a map's entry. Leaves in `state.isBoxed` whether the
 * value is of type interface{}, and reads there whether the receiver was.
 */
export function fieldOf(state: State, receiver: Val, name: string, hasArgs: boolean, callMethod: MethodCall): Val {
  if (receiver === undefined) {
    if (state.run.missingKey === 'error') state.fail(`nil data; no entry for key ${quoteText(name)}`);
    return undefined;
  }
  if (receiver === null) return state.fail(`nil pointer evaluating interface {}.${name}`);
  if (typeof receiver === 'object' && !Array.isArray(receiver)) {
    if (!(receiver instanceof GoTyped)) return entry(state, receiver, ANY, name, hasArgs);
    const method = methodOf(receiver.type, name);
    if (method !== undefined) return callMethod(method, receiver);
    if (receiver instanceof GoMap) return entry(state, receiver.entries, receiver.type.elem ?? ANY, name, hasArgs);
    const field = structField(receiver.type, name);
    if (field !== undefined && (receiver instanceof GoStruct || receiver instanceof GoStringer)) {
      if (/^[\p{Ll}_]/u.test(name))
        state.fail(`${name} is an unexported field of struct type ${formatType(state, receiver)}`);
      if (hasArgs) state.fail(`${name} has arguments but cannot be invoked as function`);
      state.isBoxed = field.kind === 'interface';
      return receiver instanceof GoStruct ? (receiver.fields[name] ?? null) : receiver.field(name);
    }
  }
  return state.fail(`can't evaluate field ${name} in type ${formatType(state, receiver)}`);
}

function formatType(state: State, receiver: Exclude<GoValue, null>): string {
  return state.isBoxed ? ANY.name : typeOf(receiver).name;
}

/** The common case without what the others need: an entry that is there, in a map[string]interface{}. */
export function plainEntry(state: State, receiver: Val, name: string): Val {
  if (typeof receiver !== 'object' || receiver === null || Array.isArray(receiver) || receiver instanceof GoTyped)
    return undefined;
  const value = entryOf(receiver, name);
  if (value !== undefined) state.isBoxed = true;
  return value;
}

function entry(state: State, entries: GoObject, elem: GoType, name: string, hasArgs: boolean): Val {
  if (hasArgs) state.fail(`${name} is not a method but has arguments`);
  const value = entryOf(entries, name);
  state.isBoxed = elem.kind === 'interface';
  if (value !== undefined) return value;
  switch (state.run.missingKey) {
    case 'zero':
      return zeroOf(elem);
    case 'error':
      return state.fail(`map has no entry for key ${quoteText(name)}`);
    case 'invalid':
      return undefined;
  }
}

function methodOf(type: GoType, name: string): GoMethod | undefined {
  return type.methods?.get(name) ?? (type.kind === 'ptr' ? type.elem?.methods?.get(name) : undefined);
}

function structField(type: GoType, name: string): GoType | undefined {
  const shape = type.kind === 'ptr' ? type.elem : type;
  return shape?.fields?.find((field) => field.name === name)?.type;
}
