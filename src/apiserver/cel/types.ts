/** A CEL type. `param` stands for any type in a function's signature (`list(T)`). */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly of: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly of: CelType }
  | { readonly kind: 'type'; readonly of: CelType }
  | { readonly kind: 'param'; readonly name: string }
  /** A Kubernetes value with methods: Quantity, URL, IP, CIDR, Format, Semver. */
  | { readonly kind: 'opaque'; readonly name: string }
  /** An object of a schema. Fields are found by the name that CEL text uses (escaped). */
  | ObjectType;

export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  readonly fields: ReadonlyMap<string, ObjectField>;
}

export interface ObjectField {
  /** The property's real name in JSON. */
  readonly property: string;
  readonly type: CelType;
}

type SimpleKind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'dyn'
  | 'error';

export const BOOL: CelType = { kind: 'bool' };
export const INT: CelType = { kind: 'int' };
export const UINT: CelType = { kind: 'uint' };
export const DOUBLE: CelType = { kind: 'double' };
export const STRING: CelType = { kind: 'string' };
export const BYTES: CelType = { kind: 'bytes' };
export const NULL: CelType = { kind: 'null' };
export const TIMESTAMP: CelType = { kind: 'timestamp' };
export const DURATION: CelType = { kind: 'duration' };
export const DYN: CelType = { kind: 'dyn' };
/** The type of an expression that already has an error: silent, so that one mistake gives one message. */
export const ERROR: CelType = { kind: 'error' };

export const listOf = (of: CelType): CelType => ({ kind: 'list', of });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
export const optionalOf = (of: CelType): CelType => ({ kind: 'optional', of });
export const typeOf = (of: CelType): CelType => ({ kind: 'type', of });
export const opaque = (name: string): CelType => ({ kind: 'opaque', name });
export const param = (name: string): CelType => ({ kind: 'param', name });

/** A type as CEL's checker prints it. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.of)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'optional':
      return `optional_type(${typeText(type.of)})`;
    case 'type':
      return `type(${typeText(type.of)})`;
    case 'param':
      return type.name;
    case 'opaque':
      return type.name;
    case 'object':
      return type.name;
    case 'error':
      return '!error!';
    default:
      return type.kind;
  }
}

/** What type parameters stand for in one call. */
export type Bindings = Map<string, CelType>;

const isWild = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error';

/** May a value of `actual` be used where `wanted` is asked for? Fills `bindings` for parameters of `wanted`. */
export function assignable(wanted: CelType, actual: CelType, bindings: Bindings = new Map()): boolean {
  if (wanted.kind === 'param') return bindParam(wanted.name, actual, bindings);
  if (isWild(wanted) || isWild(actual)) return true;
  if (actual.kind === 'null')
    return ['null', 'object', 'timestamp', 'duration', 'opaque', 'optional'].includes(wanted.kind);
  if (wanted.kind === 'list') return actual.kind === 'list' && assignable(wanted.of, actual.of, bindings);
  if (wanted.kind === 'optional') return actual.kind === 'optional' && assignable(wanted.of, actual.of, bindings);
  if (wanted.kind === 'type') return actual.kind === 'type';
  if (wanted.kind === 'map') {
    return (
      actual.kind === 'map' &&
      assignable(wanted.key, actual.key, bindings) &&
      assignable(wanted.value, actual.value, bindings)
    );
  }
  if (wanted.kind === 'opaque') return actual.kind === 'opaque' && actual.name === wanted.name;
  if (wanted.kind === 'object') return wanted === actual || (actual.kind === 'object' && actual.name === wanted.name);
  return wanted.kind === actual.kind;
}

function bindParam(name: string, actual: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  if (bound === undefined) {
    bindings.set(name, actual);
    return true;
  }
  if (isFree(bound) && !isFree(actual)) {
    bindings.set(name, actual);
    return true;
  }
  return assignable(bound, actual, bindings) || isFree(actual) || assignable(actual, bound, new Map());
}

/** An empty list or map literal: its element type is still open. */
const isFree = (type: CelType): boolean =>
  type.kind === 'param' ||
  (type.kind === 'list' && isFree(type.of)) ||
  (type.kind === 'map' && isFree(type.value)) ||
  (type.kind === 'optional' && isFree(type.of));

export function substitute(type: CelType, bindings: Bindings): CelType {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? DYN;
    case 'list':
      return listOf(substitute(type.of, bindings));
    case 'optional':
      return optionalOf(substitute(type.of, bindings));
    case 'type':
      return typeOf(substitute(type.of, bindings));
    case 'map':
      return mapOf(substitute(type.key, bindings), substitute(type.value, bindings));
    default:
      return type;
  }
}

/** The type that covers both, or dyn. */
export function join(a: CelType, b: CelType): CelType {
  if (isFree(a)) return b;
  if (isFree(b)) return a;
  if (isWild(a) || isWild(b)) return DYN;
  if (assignable(a, b)) return a;
  return assignable(b, a) ? b : DYN;
}
