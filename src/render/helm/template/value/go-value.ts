import {
  ANY,
  BOOL,
  BYTES,
  COMPLEX128,
  FLOAT64,
  GoTyped,
  INT,
  LIST,
  MAP,
  STRING,
  type GoObject,
  type GoType,
  type GoValue,
} from './go-type.js';

export { GoTyped, type GoObject, type GoValue } from './go-type.js';

/** A number, string or boolean of another type than the plain ones: int64, uint8, json.Number. */
export class GoScalar extends GoTyped {
  constructor(
    readonly type: GoType,
    readonly value: boolean | string | number | bigint,
  ) {
    super();
  }
}

export class GoComplex extends GoTyped {
  readonly type = COMPLEX128;

  constructor(
    readonly real: number,
    readonly imaginary: number,
  ) {
    super();
  }
}

/** A slice of another type than []interface{}, such as []string. */
export class GoSlice extends GoTyped {
  constructor(
    readonly type: GoType,
    readonly items: GoValue[],
    readonly isNil = false,
  ) {
    super();
  }
}

/** A []byte. */
export class GoBytes extends GoTyped {
  constructor(
    readonly bytes: Uint8Array,
    readonly type: GoType = BYTES,
  ) {
    super();
  }
}

/** A map of another type than map[string]interface{}: common.Values, map[string]string. `entries` may be shared. */
export class GoMap extends GoTyped {
  constructor(
    readonly type: GoType,
    readonly entries: GoObject,
    readonly isNil = false,
  ) {
    super();
  }
}

/** A struct, or with a type of kind `ptr` a pointer to one. */
export class GoStruct extends GoTyped {
  /** `printed` is what an action writes where a pointer to the struct has a String method; %v does not ask for it. */
  constructor(
    readonly type: GoType,
    readonly fields: Readonly<Record<string, GoValue>>,
    readonly printed?: string,
  ) {
    super();
  }
}

/** A value that prints itself, as Go's fmt.Stringer (time.Time, *semver.Version). Its type lists fields and methods. */
export abstract class GoStringer extends GoTyped {
  abstract text(): string;

  /** The value of a field that the type declares. */
  field(_name: string): GoValue {
    return null;
  }

  /** What Go's == says: pointers are the same only as themselves. */
  isSame(other: GoStringer): boolean {
    return this === other;
  }
}

export function typeOf(value: Exclude<GoValue, null>): GoType {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'boolean':
      return BOOL;
    case 'number':
      return FLOAT64;
    case 'bigint':
      return INT;
    default:
      if (value instanceof GoTyped) return value.type;
      return Array.isArray(value) ? LIST : MAP;
  }
}

/** The type's name as %T prints it. */
export function typeName(value: GoValue): string {
  return value === null ? '<nil>' : typeOf(value).name;
}

/** An object with map[string]interface{} behind it, whatever its name; undefined for anything else. */
export function asObject(value: GoValue | undefined): GoObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (!(value instanceof GoTyped)) return value;
  return value instanceof GoMap && value.type.elem === ANY ? value.entries : undefined;
}

/** The items of any slice; undefined for anything else. */
export function itemsOf(value: GoValue | undefined): readonly GoValue[] | undefined {
  if (Array.isArray(value)) return value;
  if (value instanceof GoSlice) return value.items;
  return undefined;
}

export function entryOf(object: GoObject, key: string): GoValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function setEntry(object: GoObject, key: string, value: GoValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** The value that Go gives a variable of this type before anything is assigned. */
export function zeroOf(type: GoType): GoValue {
  switch (type.kind) {
    case 'interface':
    case 'reflect':
    case 'func':
    case 'ptr':
      return null;
    case 'string':
      return withType(type, '');
    case 'bool':
      return withType(type, false);
    case 'float32':
    case 'float64':
      return withType(type, 0);
    case 'complex128':
      return new GoComplex(0, 0);
    case 'slice':
      return type.name === BYTES.name ? new GoBytes(new Uint8Array()) : new GoSlice(type, [], true);
    case 'map':
      return new GoMap(type, {}, true);
    case 'struct':
      return new GoStruct(
        type,
        Object.fromEntries((type.fields ?? []).map((field) => [field.name, zeroOf(field.type)])),
      );
    default:
      return withType(type, 0n);
  }
}

/** A plain value with the type that a function declares. */
export function withType(type: GoType, value: GoValue): GoValue {
  if (value === null) return type.kind === 'map' || type.kind === 'slice' ? zeroOf(type) : null;
  if (value instanceof GoTyped || type.kind === 'interface' || type.kind === 'reflect') return value;
  if (type === typeOf(value)) return value;
  if (typeof value !== 'object') return new GoScalar(type, value);
  return Array.isArray(value) ? new GoSlice(type, value) : new GoMap(type, value);
}

/** The plain value inside, for a function that declares this type; null for a nil map or slice. */
export function plainOf(value: GoValue): GoValue {
  if (value instanceof GoScalar) return value.value;
  if (value instanceof GoSlice) return value.isNil ? null : value.items;
  if (value instanceof GoMap) return value.isNil ? null : value.entries;
  return value;
}

/** What a pointer points to; any other value as it is. */
export function pointedTo(value: Exclude<GoValue, null>): Exclude<GoValue, null> {
  if (!(value instanceof GoStruct) || value.type.kind !== 'ptr' || value.type.elem === undefined) return value;
  return new GoStruct(value.type.elem, value.fields, value.printed);
}
