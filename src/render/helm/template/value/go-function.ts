import type { CallContext, GoType, GoValue } from './go-type.js';

export type { CallContext, GoMethod } from './go-type.js';

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

export type GoFunctions = Readonly<Record<string, GoFunction>>;
