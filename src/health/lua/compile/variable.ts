import type { Compiler, Evaluate, Execute } from './types.js';
import { NORMAL } from './types.js';
import { index, setIndex } from '../operations.js';
import { LIBRARY, type LuaRun } from '../run.js';
import type { Frame } from '../frame.js';
import type { GlobalNode, Variable } from '../syntax/tree.js';
import { Cell, LuaTable, type LuaValue } from '../value.js';

/** Reading and writing names. */

export type Assign = (run: LuaRun, frame: Frame, value: LuaValue) => void;

export function readVariable(compiler: Compiler, variable: Variable): Evaluate {
  if (variable.captured) {
    const cell = compiler.cell(variable);
    return (_run, frame) => frame.cells[cell]?.value;
  }
  const { slot } = variable;
  return (_run, frame) => frame.slots[slot];
}

export function writeVariable(compiler: Compiler, variable: Variable): Assign {
  if (variable.captured) {
    const at = compiler.cell(variable);
    return (_run, frame, value) => {
      const cell = frame.cells[at];
      if (cell !== undefined) cell.value = value;
    };
  }
  const { slot } = variable;
  return (_run, frame, value) => {
    frame.slots[slot] = value;
  };
}

/** Begins the life of a variable: closures made before keep the old one. */
export function declareVariable(compiler: Compiler, variable: Variable): Assign {
  if (!variable.captured) return writeVariable(compiler, variable);
  const at = compiler.cell(variable);
  return (run, frame, value) => {
    run.chargeMemory(32);
    frame.cells[at] = new Cell(value);
  };
}

export function readGlobal(compiler: Compiler, node: GlobalNode): Evaluate {
  const { name, slot, line } = node;
  if (compiler.isGeneral) {
    const site = { line, name: '?' };
    return (run, frame) => {
      const env = frame.fn?.env;
      const value = env?.getString(name);
      if (value !== undefined || env?.metatable === undefined) return value;
      frame.site = site;
      return index(run, env, name);
    };
  }
  if (!compiler.isLibrary(name)) return (run) => run.slots[slot];
  return (run) => {
    const value = run.slots[slot];
    return value === LIBRARY ? (run.slots[slot] = run.library(name)) : value;
  };
}

export function writeGlobal(compiler: Compiler, node: GlobalNode): Assign {
  const { name, slot, line } = node;
  if (!compiler.isGeneral) {
    return (run, _frame, value) => {
      run.slots[slot] = value;
    };
  }
  const site = { line, name: '?' };
  return (run, frame, value) => {
    const env = frame.fn?.env;
    if (env instanceof LuaTable && env.metatable === undefined) env.setString(name, value);
    else {
      frame.site = site;
      setIndex(run, env, name, value);
    }
  };
}

/** `local a`, the most common of all assignments, without a list of values. */
export function assignOne(assign: Assign, value: Evaluate): Execute {
  return (run, frame) => {
    assign(run, frame, value(run, frame));
    return NORMAL;
  };
}
