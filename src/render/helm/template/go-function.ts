import type { GoType } from './go-type.js';
import type { GoValue } from './value.js';

/**
 * A function that templates can call. Parameters of a type other than `interface {}` arrive as the plain JavaScript
 * value of that type (every integer kind as bigint, `[]string` as string[]); what `call` gives back is plain, too, and
 * gets the type of `result`. A failure is thrown as a TemplateError made by `functionError`.
 */
export interface GoFunction {
  readonly parameters: readonly GoType[];
  /** Type of each further argument; without it the number of arguments is fixed. */
  readonly variadic?: GoType;
  readonly result: GoType;
  call(args: readonly GoValue[], context: CallContext): GoValue;
}

/** A method of a type; `receiver` is the value it is called on. */
export interface GoMethod {
  readonly parameters: readonly GoType[];
  readonly variadic?: GoType;
  readonly result: GoType;
  call(receiver: GoValue, args: readonly GoValue[], context: CallContext): GoValue;
}

export type GoFunctions = Readonly<Record<string, GoFunction>>;

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
