import { compileArgument, constant } from './compile-argument.js';
import { compileFunction, MethodCalls } from './compile-call.js';
import { findFunction, type Compiler } from './compile-scope.js';
import { fieldOf, plainEntry } from './fields.js';
import type { GoFunctions } from '../value/go-function.js';
import { nodeText } from '../parse/node-text.js';
import type { AnyNode, ChainNode, Operand, PipeNode } from '../parse/node.js';
import type { Eval, Stage, State, Val } from './state.js';

/** Compiles pipelines and all that can stand in them. */
export class PipelineCompiler implements Compiler {
  constructor(private readonly functions: GoFunctions) {}

  find(name: string): ReturnType<typeof findFunction> {
    return findFunction(this.functions, name);
  }

  argument(node: Operand, type: Parameters<typeof compileArgument>[2]): Eval {
    return compileArgument(this, node, type);
  }

  pipeline(node: PipeNode): Eval {
    const stages = node.commands.map((command, index) => this.stage(command.args, command, index > 0));
    const names = node.declared.map((variable) => variable.names[0] ?? '');
    const { isAssign } = node;
    const [first, ...rest] = stages;
    return (state, dot) => {
      const { budget } = state.run;
      budget.down();
      state.node = node;
      // Whatever a stage gives, the next one sees without its interface: a nil inside is then no value.
      let value = first?.(state, dot, undefined) ?? undefined;
      for (const stage of rest) value = stage(state, dot, value) ?? undefined;
      for (const name of names) {
        if (isAssign) state.setVariable(name, value, false);
        else state.push(name, value);
      }
      state.isBoxed = false;
      budget.up();
      return value;
    };
  }

  stage(args: readonly Operand[], cited: AnyNode, hasFinal: boolean): Stage {
    const [first, ...rest] = args;
    switch (first?.kind) {
      case 'identifier':
        return compileFunction(this, first, rest, cited, hasFinal);
      case 'field':
        return this.fields(first, first.names, rest, hasFinal, dotOf);
      case 'variable':
        return this.variable(first, first.names, args, hasFinal);
      case 'chain':
        return this.chain(first, rest, hasFinal);
      case 'pipe':
        return this.plain(first, args, hasFinal, this.pipeline(first), false);
      case 'dot':
        return this.plain(first, args, hasFinal, dotOf, true);
      case 'bool':
      case 'string':
      case 'number':
        return this.plain(first, args, hasFinal, constant(first), true);
      case 'nil':
        return this.plain(first, args, hasFinal, (state) => state.fail('nil is not a command'), true);
      case undefined:
        return (state) => state.fail('empty command');
    }
  }

  /** An operand that takes no arguments. */
  private plain(node: Operand, args: readonly Operand[], hasFinal: boolean, evaluate: Eval, isCited: boolean): Stage {
    const isCall = args.length > 1 || hasFinal;
    return (state, dot) => {
      if (isCited) state.node = node;
      if (isCall) state.fail(`can't give argument to non-function ${nodeText(node)}`);
      return evaluate(state, dot);
    };
  }

  private variable(
    node: AnyNode,
    [name = '', ...fields]: readonly string[],
    args: readonly Operand[],
    hasFinal: boolean,
  ): Stage {
    if (fields.length > 0) return this.fields(node, fields, args.slice(1), hasFinal, (state) => state.variable(name));
    const isCall = args.length > 1 || hasFinal;
    return (state) => {
      state.node = node;
      const value = state.variable(name);
      if (isCall) state.fail(`can't give argument to non-function ${nodeText(node)}`);
      return value;
    };
  }

  private chain(node: ChainNode, args: readonly Operand[], hasFinal: boolean): Stage {
    if (node.node.kind === 'nil') {
      return (state) => {
        state.node = node;
        return state.fail(`indirection through explicit nil in ${nodeText(node)}`);
      };
    }
    return this.fields(node, node.names, args, hasFinal, this.argument(node.node, undefined));
  }

  private fields(
    node: AnyNode,
    names: readonly string[],
    args: readonly Operand[],
    hasFinal: boolean,
    start: Eval,
  ): Stage {
    const last = names.length - 1;
    // Few fields are methods, so that what calls them is made when one is met.
    let inner: MethodCalls | undefined;
    let outer: MethodCalls | undefined;
    const hasArgs = args.length > 0 || hasFinal;
    return (state, dot, final) => {
      state.node = node;
      let value = start(state, dot);
      for (let i = 0; i <= last; i++) {
        const isLast = i === last;
        const name = names[i] ?? '';
        const found = isLast && hasArgs ? undefined : plainEntry(state, value, name);
        value =
          found !== undefined
            ? found
            : fieldOf(state, value, name, isLast && hasArgs, (method, receiver) => {
                const calls = isLast
                  ? (outer ??= new MethodCalls(this, node, args, hasFinal))
                  : (inner ??= new MethodCalls(this, node, [], false));
                return calls.call(state, dot, final, method, name, receiver);
              });
      }
      return value;
    };
  }
}

function dotOf(state: State, dot: Val): Val {
  state.isBoxed = state.isDotBoxed;
  return dot;
}
