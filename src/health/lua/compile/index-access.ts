import type { Compiler, Evaluate } from './types.js';
import { index } from '../operations.js';
import { LIBRARY, type LuaRun } from '../run.js';
import type { Frame, CallSite } from '../frame.js';
import { isAscii } from '../text.js';
import type { IndexNode } from '../syntax/tree.js';
import { LuaTable, type LuaValue } from '../value.js';

export function compileIndex(compiler: Compiler, node: IndexNode): Evaluate {
  const { object, key, line } = node;
  const site = { line, name: '?' };
  if (key.kind === 'constant' && typeof key.value === 'string' && isAscii(key.value))
    return compileField(compiler, node, key.value, site);
  const evaluateObject = compiler.expression(object);
  const evaluateKey = compiler.expression(key);
  return (run, frame) => {
    const table = evaluateObject(run, frame);
    const name = evaluateKey(run, frame);
    if (table instanceof LuaTable) {
      const value = table.get(name);
      if (value !== undefined || table.metatable === undefined) return value;
    }
    frame.site = site;
    return index(run, table, name);
  };
}

/** `object.name`, with shortcuts for the objects that scripts mostly have: locals, globals and libraries. */
function compileField(compiler: Compiler, { object }: IndexNode, name: string, site: CallSite): Evaluate {
  if (object.kind === 'local' && !object.variable.captured) {
    const { slot } = object.variable;
    return (run, frame) => field(run, frame, frame.slots[slot], name, site);
  }
  if (object.kind === 'global' && !compiler.isGeneral) {
    const { slot } = object;
    if (!compiler.isLibrary(object.name)) return (run, frame) => field(run, frame, run.slots[slot], name, site);
    const library = compiler.expression(object);
    const member = compiler.member(object.name, name);
    return (run, frame) =>
      run.slots[slot] === LIBRARY && member !== undefined ? member : field(run, frame, library(run, frame), name, site);
  }
  const evaluate = compiler.expression(object);
  return (run, frame) => field(run, frame, evaluate(run, frame), name, site);
}

function field(run: LuaRun, frame: Frame, object: LuaValue, name: string, site: CallSite): LuaValue {
  if (object instanceof LuaTable) {
    const value = object.getName(name);
    if (value !== undefined || object.metatable === undefined) return value;
  }
  frame.site = site;
  return index(run, object, name);
}
