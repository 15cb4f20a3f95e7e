/** What Go's reflect package calls the kind of a type; `reflect` is text/template's own "any value, wrapped or not". */
export type GoKind =
  | 'bool'
  | 'int'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  | 'complex128'
  | 'string'
  | 'slice'
  | 'map'
  | 'struct'
  | 'ptr'
  | 'func'
  | 'interface'
  | 'reflect';

/** A type as Go prints it and as text/template asks about it. */
export interface GoType {
  /** As reflect prints it: `map[string]interface {}`, `*common.Capabilities`. */
  readonly name: string;
  readonly kind: GoKind;
  /** Of the unnamed type behind a named one, where the two can be assigned to each other (`common.Values`). */
  readonly underlying?: GoType;
  /** Of the elements of a slice or map, or what a pointer points to. */
  readonly elem?: GoType;
  /** Of a struct, in order. */
  readonly fields?: readonly GoField[];
  readonly methods?: ReadonlyMap<string, GoMethod>;
}

export interface GoField {
  readonly name: string;
  readonly type: GoType;
}

/** A method of a type; `receiver` is the value it is called on. */
export interface GoMethod {
  readonly parameters: readonly GoType[];
  readonly variadic?: GoType;
  readonly result: GoType;
  call(receiver: GoValue, args: readonly GoValue[], context: CallContext): GoValue;
}

/** What a running template offers to the functions it calls. */
export interface CallContext {
  /** Executes a template of the set by its name, as Helm's `include` does. */
  include(name: string, data: GoValue): string;
  /** Parses text in a copy of the set and executes it, as Helm's `tpl` does. */
  tpl(text: string, data: GoValue): string;
  /** Takes steps from the budget, for work that grows with the size of the arguments. */
  charge(steps: number): void;
  /** Whatever `execute` was given: clock, randomness, capabilities. Functions that need it know its shape. */
  readonly host: unknown;
}

/**
 * A value inside a template. Plain JavaScript values stand for the types that values files give: null = nil, boolean,
 * string, number = float64, bigint = int, array = []interface{}, object = map[string]interface{}. Everything else is a
 * GoTyped and knows its type. Bytes of a string that are no UTF-8 are lone surrogates U+DC80..U+DCFF.
 */
export type GoValue = null | boolean | string | number | bigint | GoValue[] | GoObject | GoTyped;

/** A map[string]interface{}. Keys are a stranger's: read with `entryOf`, write with `setEntry`. */
export interface GoObject {
  [key: string]: GoValue | undefined;
}

/** The subclasses are in value.ts. */
export abstract class GoTyped {
  abstract readonly type: GoType;
}

export const ANY: GoType = { name: 'interface {}', kind: 'interface' };
export const REFLECT: GoType = { name: 'reflect.Value', kind: 'reflect' };
export const BOOL: GoType = { name: 'bool', kind: 'bool' };
export const STRING: GoType = { name: 'string', kind: 'string' };
export const INT: GoType = { name: 'int', kind: 'int' };
export const INT64: GoType = { name: 'int64', kind: 'int64' };
export const UINT8: GoType = { name: 'uint8', kind: 'uint8' };
export const UINT32: GoType = { name: 'uint32', kind: 'uint32' };
export const UINT64: GoType = { name: 'uint64', kind: 'uint64' };
export const FLOAT64: GoType = { name: 'float64', kind: 'float64' };
export const COMPLEX128: GoType = { name: 'complex128', kind: 'complex128' };
export const LIST: GoType = sliceOf(ANY);
export const MAP: GoType = mapOf(ANY);
export const STRINGS: GoType = sliceOf(STRING);
export const BYTES: GoType = sliceOf(UINT8);
export const STRING_MAP: GoType = mapOf(STRING);

export function sliceOf(elem: GoType): GoType {
  return { name: `[]${elem.name}`, kind: 'slice', elem };
}

/** Keys are always strings: nothing else reaches a template. */
export function mapOf(elem: GoType): GoType {
  return { name: `map[string]${elem.name}`, kind: 'map', elem };
}

export function pointerTo(elem: GoType): GoType {
  return { name: `*${elem.name}`, kind: 'ptr', elem };
}

/** A defined type, such as `common.Values`, over an unnamed one. */
export function namedType(name: string, underlying: GoType, methods?: ReadonlyMap<string, GoMethod>): GoType {
  return { ...underlying, name, underlying, ...(methods === undefined ? {} : { methods }) };
}

const INTEGERS: ReadonlySet<GoKind> = new Set(['int', 'int8', 'int16', 'int32', 'int64'] as const);
const UNSIGNED: ReadonlySet<GoKind> = new Set(['uint', 'uint8', 'uint16', 'uint32', 'uint64'] as const);

export function isSignedKind(kind: GoKind): boolean {
  return INTEGERS.has(kind);
}

export function isUnsignedKind(kind: GoKind): boolean {
  return UNSIGNED.has(kind);
}

const NILLABLE: ReadonlySet<GoKind> = new Set(['func', 'interface', 'map', 'ptr', 'slice', 'reflect'] as const);

export function canBeNil(type: GoType): boolean {
  return NILLABLE.has(type.kind);
}

/** May a value of this type be passed where the other is asked for, without a conversion? */
export function isAssignable(from: GoType, to: GoType): boolean {
  if (from === to || to.kind === 'interface' || from.name === to.name) return true;
  if (from.underlying === undefined)
    return to.underlying !== undefined && isComposite(to) && to.underlying.name === from.name;
  return to.underlying === undefined && isComposite(to) && from.underlying.name === to.name;
}

/** `string` is a defined type itself, so a `json.Number` cannot be passed for it; a map or slice type is not. */
function isComposite(type: GoType): boolean {
  return type.kind === 'map' || type.kind === 'slice';
}
