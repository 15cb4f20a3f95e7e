import type { JsonObject } from '../../../model/json/index.js';
import type { Node } from './parse-script.js';
import type { FunctionDeclaration } from 'luaparse';

/**
 * How likely a value is missing. `never`: it is always there. `unknown`: nothing says either way, so nothing is
 * reported. `maybe`: it can be missing. `often`: every object lacks it at some time of a normal life.
 */
export type Absence = 'never' | 'unknown' | 'maybe' | 'often';

/** A value the script reads and cannot choose: a field of the object, an element of a list, the result of a sum. */
export interface Place {
  /** Same key, same value. */
  readonly key: string;
  /** As the author wrote it. */
  readonly text: string;
  /** Steps from the object; `[]` stands for any element. Absent for values that are not part of the object. */
  readonly path?: readonly string[];
  readonly absence: Absence;
  /** What the CRD says about it; absent when it says nothing. */
  readonly schema?: JsonObject;
}

export type Literal = string | number | boolean;

/** What an expression gives on one path through the script. */
export type Value =
  | { readonly kind: 'nil'; readonly why: string }
  | { readonly kind: 'literal'; readonly value: Literal; readonly at?: Node }
  /** Some string; never nil. */
  | { readonly kind: 'text' }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'table'; readonly id: string }
  | { readonly kind: 'function'; readonly node: FunctionDeclaration; readonly scope: Scope }
  | { readonly kind: 'builtin'; readonly name: string };

/** Names that a block sees, with the cell each one lives in. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly names: Map<string, string>;
  /** The chain of calls that led here; keeps the locals of two calls apart. */
  readonly calls: string;
}

/** A table that the script made. */
export interface Table {
  readonly fields: ReadonlyMap<string, Value>;
  /** Other keys may be set too. */
  readonly isOpen: boolean;
}

export const NIL: Value = { kind: 'nil', why: '' };
export const TEXT: Value = { kind: 'text' };
export const EMPTY_TABLE: Table = { fields: new Map(), isOpen: false };

export function literal(value: Literal, at?: Node): Value {
  return at === undefined ? { kind: 'literal', value } : { kind: 'literal', value, at };
}

/** A value nothing is known about, so nothing is reported about it. */
export function unknown(key: string, text: string): Value {
  return { kind: 'place', place: { key, text, absence: 'unknown' } };
}

/** A value that is certainly there, such as the result of a sum. */
export function present(key: string, text: string): Value {
  return { kind: 'place', place: { key, text, absence: 'never' } };
}
