import type { CallContext, GoFunction } from '../template/value/go-function.js';
import type { GoType } from '../template/value/go-type.js';
import { functionError, type TemplateError } from '../template/template-error.js';
import { asObject, GoMap, itemsOf, type GoObject, type GoValue } from '../template/value/go-value.js';

type Call = (args: Arguments, context: CallContext) => GoValue;

/** A function with a fixed number of parameters. */
export function define(parameters: readonly GoType[], result: GoType, call: Call): GoFunction {
  return { parameters, result, call: (args, context) => call(new Arguments(args), context) };
}

/** A function that takes any number of further arguments of one type. */
export function defineVariadic(
  parameters: readonly GoType[],
  variadic: GoType,
  result: GoType,
  call: Call,
): GoFunction {
  return { parameters, variadic, result, call: (args, context) => call(new Arguments(args), context) };
}

/** Arguments after the engine has checked them against the declared types. */
export class Arguments {
  constructor(readonly all: readonly GoValue[]) {}

  any(at: number): GoValue {
    return this.all[at] ?? null;
  }

  text(at: number): string {
    const value = this.any(at);
    return typeof value === 'string' ? value : this.#wrong(at);
  }

  int(at: number): bigint {
    const value = this.any(at);
    return typeof value === 'bigint' ? value : this.#wrong(at);
  }

  /** An int where precision beyond 2^53 makes no difference. */
  count(at: number): number {
    return Number(this.int(at));
  }

  flag(at: number): boolean {
    const value = this.any(at);
    return typeof value === 'boolean' ? value : this.#wrong(at);
  }

  float(at: number): number {
    const value = this.any(at);
    return typeof value === 'number' ? value : this.#wrong(at);
  }

  /** A map[string]interface{}; undefined for a nil one. */
  map(at: number): GoObject | undefined {
    const value = this.any(at);
    if (value === null || (value instanceof GoMap && value.isNil)) return undefined;
    return asObject(value) ?? this.#wrong(at);
  }

  items(at: number): readonly GoValue[] {
    const value = this.any(at);
    return value === null ? [] : (itemsOf(value) ?? this.#wrong(at));
  }

  from(at: number): readonly GoValue[] {
    return this.all.slice(at);
  }

  /** The engine checks arguments first, so this is a mistake of ours and no one else's. */
  #wrong(at: number): never {
    throw new TypeError(`argument ${at} has not the declared type`);
  }
}

/** What Go's runtime says when code follows a nil pointer. */
export function nilDereference(): TemplateError {
  return functionError('runtime error: invalid memory address or nil pointer dereference');
}

/** What Go's reflection says when it is asked for the type of nil. */
export function typeOfNil(): TemplateError {
  return functionError('reflect: call of reflect.Value.Type on zero Value');
}
