import type { Arguments, Compiler, Evaluate } from './compile-types.js';
import { rawSet } from './operations.js';
import type { LuaRun } from './run.js';
import type { CallSite, Frame } from './frame.js';
import { isMulti, type TableField, type TableNode } from './tree.js';
import { LuaTable } from './value.js';

type Fill = (run: LuaRun, frame: Frame, table: LuaTable) => void;

export function compileTable(compiler: Compiler, { fields, line }: TableNode): Evaluate {
  if (fields.length === 0) return (run) => run.newTable();
  const site = { line, name: '?' };
  const keyedSteps: Fill[] = [];
  const itemSteps: Fill[] = [];
  // Items are stored after keyed fields, as gopher-lua does. Only a computed key can tell, so only then they wait.
  const isMixed = fields.some(({ key }) => key !== undefined && key.kind !== 'constant') && fields.some(({ key }) => key === undefined);
  const itemTarget = isMixed ? itemSteps : keyedSteps;
  let items = 0;
  fields.forEach((field, i) => {
    if (field.key !== undefined) keyedSteps.push(keyed(compiler, field, site));
    else if (i === fields.length - 1 && isMulti(field.value)) itemTarget.push(rest(compiler.list([field.value]), items));
    else itemTarget.push(item(compiler.expression(field.value), ++items));
  });
  const steps = [...keyedSteps, ...itemSteps];
  return (run, frame) => {
    const table = run.newTable();
    for (const step of steps) step(run, frame, table);
    return table;
  };
}

function keyed(compiler: Compiler, { key, value }: TableField, site: CallSite): Fill {
  const evaluate = compiler.expression(value);
  if (key?.kind === 'constant' && typeof key.value === 'string') {
    const name = key.value;
    return (run, frame, table) => table.setString(name, evaluate(run, frame));
  }
  const evaluateKey = key === undefined ? undefined : compiler.expression(key);
  return (run, frame, table) => {
    const name = evaluateKey?.(run, frame);
    const content = evaluate(run, frame);
    frame.site = site;
    rawSet(run, table, name, content);
  };
}

function item(evaluate: Evaluate, place: number): Fill {
  return (run, frame, table) => table.setInt(place, evaluate(run, frame));
}

function rest(all: Arguments, count: number): Fill {
  return (run, frame, table) => {
    const values = all(run, frame);
    for (let i = 0; i < values.length; i++) table.setInt(count + i + 1, values[i]);
  };
}
