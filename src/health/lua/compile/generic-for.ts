import { BREAK, NORMAL, type Compiler, type Execute } from './types.js';
import { declareVariable, type Assign } from './variable.js';
import type { CallSite, Frame } from '../frame.js';
import type { LuaRun } from '../run.js';
import type { StatementOf } from '../syntax/tree.js';
import { LuaFunction, LuaTable, type LuaValue } from '../value.js';

/** What all forms of the loop share. */
interface Loop {
  readonly declare: readonly Assign[];
  readonly block: Execute;
  readonly cost: number;
  readonly site: CallSite;
}

export function compileGenericFor(compiler: Compiler, node: StatementOf<'genericFor'>): Execute {
  const values = compiler.list(node.values);
  const declare = node.variables.map((variable) => declareVariable(compiler, variable));
  const before = compiler.nodes;
  const block = compiler.block(node.body);
  const loop: Loop = { declare, block, cost: compiler.nodes - before + 1, site: { line: node.line, name: '?' } };
  const general = (run: LuaRun, frame: Frame): number => {
    const [iterator, state, control] = values(run, frame);
    return iterate(loop, run, frame, iterator, state, control);
  };
  return shortcut(compiler, node, loop, general) ?? general;
}

/**
 * `for … in pairs(t)` and ipairs(t) walk the table without calling anything, as long as the names mean the built-ins.
 */
function shortcut(
  compiler: Compiler,
  { values }: StatementOf<'genericFor'>,
  loop: Loop,
  general: Execute,
): Execute | undefined {
  const [call] = values;
  if (values.length !== 1 || call?.kind !== 'call' || call.callee.kind !== 'global' || call.args.length !== 1)
    return undefined;
  const { name, slot } = call.callee;
  const builtin = compiler.builtin(name);
  const [argument] = call.args;
  if (compiler.isGeneral || builtin === undefined || argument === undefined || (name !== 'pairs' && name !== 'ipairs'))
    return undefined;
  const evaluate = compiler.expression(argument);
  const walk = name === 'pairs' ? walkPairs : walkList;
  const site = { line: call.line, name };
  return (run, frame) => {
    if (run.slots[slot] !== builtin) return general(run, frame);
    const table = evaluate(run, frame);
    frame.site = site;
    return table instanceof LuaTable ? walk(loop, run, frame, table) : run.typeError(1, 'table', [table]);
  };
}

function iterate(
  { declare, block, cost, site }: Loop,
  run: LuaRun,
  frame: Frame,
  iterator: LuaValue,
  state: LuaValue,
  start: LuaValue,
): number {
  let control = start;
  for (;;) {
    if ((run.steps -= cost) < 0) run.tickAt(frame, site);
    frame.site = site;
    const args = [state, control];
    const results = iterator instanceof LuaFunction ? iterator.call(run, args) : run.callValue(iterator, args);
    control = results[0];
    if (control === undefined) return NORMAL;
    for (let i = 0; i < declare.length; i++) declare[i]?.(run, frame, results[i]);
    const signal = block(run, frame);
    if (signal !== NORMAL) return signal === BREAK ? NORMAL : signal;
  }
}

function walkList(loop: Loop, run: LuaRun, frame: Frame, table: LuaTable): number {
  const { block, cost } = loop;
  for (let i = 1; ; i++) {
    const value = table.getInt(i);
    if (value === undefined) return NORMAL;
    if ((run.steps -= cost) < 0) run.tickAt(frame, loop.site);
    bind(loop, run, frame, i, value);
    const signal = block(run, frame);
    if (signal !== NORMAL) return signal === BREAK ? NORMAL : signal;
  }
}

function walkPairs(loop: Loop, run: LuaRun, frame: Frame, table: LuaTable): number {
  const { block, cost } = loop;
  if (table.source !== undefined) table.materialise();
  for (let i = 0; i < (table.array?.length ?? 0); i++) {
    const value = table.array?.[i];
    if ((run.steps -= value === undefined ? 1 : cost) < 0) run.tickAt(frame, loop.site);
    if (value === undefined) continue;
    bind(loop, run, frame, i + 1, value);
    const signal = block(run, frame);
    if (signal !== NORMAL) return signal === BREAK ? NORMAL : signal;
  }
  for (let i = 0; i < (table.keys?.length ?? 0); i++) {
    const value = table.values[i];
    if ((run.steps -= value === undefined ? 1 : cost) < 0) run.tickAt(frame, loop.site);
    if (value === undefined) continue;
    bind(loop, run, frame, table.keys?.[i], value);
    const signal = block(run, frame);
    if (signal !== NORMAL) return signal === BREAK ? NORMAL : signal;
  }
  return NORMAL;
}

function bind({ declare }: Loop, run: LuaRun, frame: Frame, key: LuaValue, value: LuaValue): void {
  declare[0]?.(run, frame, key);
  declare[1]?.(run, frame, value);
  for (let i = 2; i < declare.length; i++) declare[i]?.(run, frame, undefined);
}
