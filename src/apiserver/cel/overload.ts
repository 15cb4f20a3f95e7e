import type { CelType } from './types.js';
import { CelList, CelMap, Duration, Opaque, Optional, Timestamp, TypeValue, Uint, type CelValue } from './values.js';

/** What a function may spend; every function that reads or builds something large says so. */
export interface CostMeter {
  spend(units: number): void;
}

/** One signature of a function. For methods the first parameter is the receiver. */
export interface Overload {
  readonly name: string;
  readonly method: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  run(args: readonly CelValue[], spender: CostMeter): CelValue;
}

/**
 * The code of a function: its arguments have the types that the signature names, because the caller has checked them.
 */
type Code = (args: never, spender: CostMeter) => CelValue;

export function func(name: string, params: readonly CelType[], result: CelType, run: Code): Overload {
  return { name, method: false, params, result, run: run };
}

export function method(name: string, params: readonly CelType[], result: CelType, run: Code): Overload {
  return { name, method: true, params, result, run: run };
}

/** Does a value at run time fit a parameter? Elements of lists and maps are not checked. */
export function fits(type: CelType, value: CelValue): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
    case 'error':
      return true;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'uint':
      return value instanceof Uint;
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bytes':
      return value instanceof Uint8Array;
    case 'null':
      return value === null;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    case 'list':
      return value instanceof CelList;
    case 'map':
    case 'object':
      return value instanceof CelMap;
    case 'optional':
      return value instanceof Optional;
    case 'type':
      return value instanceof TypeValue;
    case 'opaque':
      return value instanceof Opaque && value.type === type.name;
    default:
      return type satisfies never;
  }
}
