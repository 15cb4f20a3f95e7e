import type { Arguments, Compiler, Evaluate, EvaluateAll } from './types.js';
import type { CallSite } from '../frame.js';
import { index } from '../operations.js';
import type { LuaRun } from '../run.js';
import { isMulti, type CallNode, type Expression, type MethodNode } from '../syntax/tree.js';
import { LuaFunction, LuaTable, MAX_VALUES, type LuaValue, type LuaValues } from '../value.js';

export function compileCall(compiler: Compiler, node: CallNode): EvaluateAll {
  const callee = compiler.expression(node.callee);
  const site = { line: node.line, name: calleeName(node.callee) };
  const [only] = node.args;
  if (node.args.length === 1 && only !== undefined && !isMulti(only))
    return callWithOne(callee, compiler.expression(only), site);
  const list = compiler.list(node.args);
  return (run, frame) => {
    const fn = callee(run, frame);
    const args = list(run, frame);
    frame.site = site;
    return fn instanceof LuaFunction ? fn.call(run, args) : run.callValue(fn, args);
  };
}

function callWithOne(callee: Evaluate, argument: Evaluate, site: CallSite): EvaluateAll {
  return (run, frame) => {
    const fn = callee(run, frame);
    const args = [argument(run, frame)];
    frame.site = site;
    return fn instanceof LuaFunction ? fn.call(run, args) : run.callValue(fn, args);
  };
}

export function compileMethod(compiler: Compiler, node: MethodNode): EvaluateAll {
  const { line, name } = node;
  const object = compiler.expression(node.object);
  const list = compiler.list(node.args);
  const site = { line, name };
  return (run, frame) => {
    const self = object(run, frame);
    frame.site = site;
    const fn = method(run, self, name);
    const args = list(run, frame);
    args.unshift(self);
    frame.site = site;
    return fn instanceof LuaFunction ? fn.call(run, args) : run.callValue(fn, args);
  };
}

/** What `self:name` calls. */
export function method(run: LuaRun, self: LuaValue, name: string): LuaValue {
  if (typeof self === 'string') return run.stringMethod(name) ?? index(run, self, name);
  if (self instanceof LuaTable) {
    const value = self.getString(name);
    if (value !== undefined || self.metatable === undefined) return value;
  }
  return index(run, self, name);
}

/** The name by which messages speak of a call. */
export function calleeName(callee: Expression): string {
  if (callee.kind === 'local') return callee.variable.name;
  if (callee.kind === 'global') return callee.name;
  if (callee.kind === 'index' && callee.key.kind === 'constant' && typeof callee.key.value === 'string')
    return callee.key.value;
  return '?';
}

/** A list of expressions as a fresh array of values. */
export function compileList(compiler: Compiler, nodes: readonly Expression[]): Arguments {
  const last = nodes[nodes.length - 1];
  if (last !== undefined && isMulti(last))
    return listWithRest(compiler, nodes.slice(0, -1), compileAll(compiler, last));
  const [first, second, third] = nodes.map((node) => compiler.expression(node));
  if (first === undefined) return () => [];
  if (second === undefined) return (run, frame) => [first(run, frame)];
  if (third === undefined) return (run, frame) => [first(run, frame), second(run, frame)];
  if (nodes.length === 3) return (run, frame) => [first(run, frame), second(run, frame), third(run, frame)];
  return fixedList(nodes.map((node) => compiler.expression(node)));
}

function fixedList(items: readonly Evaluate[]): Arguments {
  return (run, frame) => {
    const values: LuaValue[] = [];
    for (const item of items) values.push(item(run, frame));
    return values;
  };
}

function listWithRest(compiler: Compiler, nodes: readonly Expression[], rest: EvaluateAll): Arguments {
  const items = nodes.map((node) => compiler.expression(node));
  return (run, frame) => {
    const values: LuaValue[] = [];
    for (const item of items) values.push(item(run, frame));
    const more = rest(run, frame);
    checkCount(run, values.length + more.length);
    for (const value of more) values.push(value);
    return values;
  };
}

/** All values of a call or of `...`. */
export function compileAll(compiler: Compiler, node: Expression): EvaluateAll {
  compiler.nodes++;
  switch (node.kind) {
    case 'call':
      return compileCall(compiler, node);
    case 'method':
      return compileMethod(compiler, node);
    case 'vararg':
      return (_run, frame): LuaValues => frame.varargs;
    default: {
      const evaluate = compiler.expression(node);
      return (run, frame) => [evaluate(run, frame)];
    }
  }
}

export function checkCount(run: LuaRun, count: number): void {
  if (count > MAX_VALUES) run.fail('registry overflow');
  run.chargeMemory(8 * count);
}
