import { BUILTINS, type Callable } from './builtins.js';
import type { GoFunctions } from '../value/go-function.js';
import type { AnyNode, Operand, PipeNode } from '../parse/node.js';
import type { Eval, Stage } from './state.js';
import type { GoType } from '../value/go-type.js';

/** A function as a template finds it; a chart's own hides the builtin of that name. */
interface Found {
  readonly callable: Callable;
  readonly isBuiltin: boolean;
}

/** The parts of the compiler that call one another: a pipeline has arguments, an argument may be a pipeline. */
export interface Compiler {
  find(name: string): Found | undefined;
  pipeline(pipe: PipeNode): Eval;
  /** An operand as an argument of a type; without a type as the start of a chain of fields. */
  argument(node: Operand, type: GoType | undefined): Eval;
  /** The first word of a command, with what follows it; `cited` is what the error of a failed call shows. */
  stage(args: readonly Operand[], cited: AnyNode, hasFinal: boolean): Stage;
}

export function findFunction(functions: GoFunctions, name: string): Found | undefined {
  const own = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (own !== undefined) return { callable: own, isBuiltin: false };
  const builtin = BUILTINS.get(name);
  return builtin === undefined ? undefined : { callable: builtin, isBuiltin: true };
}
