import { callValue, type Callable } from './builtins.js';
import { fitted, typedResult } from './compile-argument.js';
import type { Compiler } from './compile-scope.js';
import { Boxed } from './elements.js';
import { REFLECT, type GoMethod, type GoType } from '../value/go-type.js';
import { nodeText } from '../parse/node-text.js';
import type { AnyNode, IdentifierNode, Operand } from '../parse/node.js';
import type { Eval, Stage, State, Val } from './state.js';
import { isTrue } from './truth.js';
import { GoScalar, typeOf, withType, type GoValue } from '../value/go-value.js';
import { weightOf } from '../value/weight.js';

interface Signature {
  readonly parameters: readonly GoType[];
  readonly variadic?: GoType;
}

type Arguments = (state: State, dot: Val, final: Val) => Val[];

/** A call of a function by its name. `cited` is what the error of a failed call shows. */
export function compileFunction(
  compiler: Compiler,
  node: IdentifierNode,
  args: readonly Operand[],
  cited: AnyNode,
  hasFinal: boolean,
): Stage {
  const { name } = node;
  const found = compiler.find(name);
  if (found === undefined) return failing(node, `${JSON.stringify(name)} is not a defined function`);
  const { callable, isBuiltin } = found;
  const wrong = wrongCount(callable, name, args.length, hasFinal);
  if (wrong !== undefined) return failing(node, wrong);
  if (isBuiltin && (name === 'and' || name === 'or')) return compileLogic(compiler, node, args, hasFinal);
  const evaluate = compileArguments(compiler, callable, args, hasFinal, isBuiltin && name === 'slice');
  const target = isBuiltin && name === 'call' ? callee(args) : callable;
  const { result } = callable;
  const isBoxed = result.kind === 'interface';
  return (state, dot, final) => {
    state.node = node;
    const argv = evaluate(state, dot, final);
    try {
      const value = typedResult(result, target.call(argv, state.run));
      state.run.charge(weightOf(argv, value));
      state.isBoxed = isBoxed;
      return value;
    } catch (error) {
      return state.callFailed(cited, name, error);
    }
  };
}

/** The builtin `call` names what it was given as it is written, or by its type where it comes from the stage before. */
function callee([first]: readonly Operand[]): Pick<Callable, 'call'> {
  return { call: ([value]) => callValue(first === undefined ? reflectText(value) : nodeText(first), value) };
}

/** A reflect.Value's String: the text of a string, else the type in brackets. */
function reflectText(value: Val): string {
  const plain = value instanceof GoScalar ? value.value : value;
  if (typeof plain === 'string') return plain;
  return `<${value === undefined || value === null ? 'invalid' : typeOf(value).name} Value>`;
}

function failing(node: AnyNode, message: string): Stage {
  return (state) => {
    state.node = node;
    return state.fail(message);
  };
}

function wrongCount(
  { parameters, variadic }: Signature,
  name: string,
  count: number,
  hasFinal: boolean,
): string | undefined {
  const given = count + (hasFinal ? 1 : 0);
  const wanted = parameters.length;
  if (variadic !== undefined)
    return given < wanted ? `wrong number of args for ${name}: want at least ${wanted} got ${count}` : undefined;
  return given === wanted ? undefined : `wrong number of args for ${name}: want ${wanted} got ${given}`;
}

function compileArguments(
  compiler: Compiler,
  { parameters, variadic }: Signature,
  args: readonly Operand[],
  hasFinal: boolean,
  keepsBoxes: boolean,
): Arguments {
  const evals = args.map((arg, index) => compiler.argument(arg, parameters[index] ?? variadic));
  const finalType = parameters[args.length] ?? variadic;
  const count = evals.length;
  return (state, dot, final) => {
    const argv: Val[] = [];
    for (let i = 0; i < count; i++) {
      const value = evals[i]?.(state, dot);
      argv.push(keepsBoxes && state.isBoxed && value !== undefined ? new Boxed(value) : value);
    }
    if (hasFinal) argv.push(fitted(state, final, finalType));
    return argv;
  };
}

/** `and` and `or` stop at the first value that decides. */
function compileLogic(compiler: Compiler, node: IdentifierNode, args: readonly Operand[], hasFinal: boolean): Stage {
  const isOr = node.name === 'or';
  const evals: Eval[] = args.map((arg) => compiler.argument(arg, REFLECT));
  return (state, dot, final) => {
    state.node = node;
    let value: Val;
    for (const evaluate of evals) {
      value = evaluate(state, dot);
      if (isTrue(value) === isOr) return value;
    }
    return hasFinal ? final : value;
  };
}

/** A method's call is compiled when the method is known: only then do its arguments have types. */
export class MethodCalls {
  private known: Map<GoMethod, Arguments | string> | undefined;

  constructor(
    private readonly compiler: Compiler,
    private readonly node: AnyNode,
    private readonly args: readonly Operand[],
    private readonly hasFinal: boolean,
  ) {}

  call(state: State, dot: Val, final: Val, method: GoMethod, name: string, receiver: GoValue): Val {
    const evaluate = this.argumentsOf(method, name);
    if (typeof evaluate === 'string') return state.fail(evaluate);
    const argv = evaluate(state, dot, final).map((arg) => arg ?? null);
    try {
      const value = withType(method.result, method.call(receiver, argv, state.run));
      state.isBoxed = method.result.kind === 'interface';
      return value;
    } catch (error) {
      return state.callFailed(this.node, name, error);
    }
  }

  private argumentsOf(method: GoMethod, name: string): Arguments | string {
    this.known ??= new Map();
    let known = this.known.get(method);
    if (known === undefined) {
      known =
        wrongCount(method, name, this.args.length, this.hasFinal) ??
        compileArguments(this.compiler, method, this.args, this.hasFinal, false);
      this.known.set(method, known);
    }
    return known;
  }
}
