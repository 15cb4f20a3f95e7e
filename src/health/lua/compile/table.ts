import type { Arguments, Compiler, Evaluate } from './types.js';
import type { CallSite, Frame } from '../frame.js';
import { foldNumber } from './fold.js';
import { rawSet } from '../operations.js';
import type { LuaRun } from '../run.js';
import { isMulti, type Expression, type TableField, type TableNode } from '../syntax/tree.js';
import type { LuaTable, LuaValue } from '../value.js';

type Fill = (run: LuaRun, frame: Frame, table: LuaTable) => void;
/** Evaluates a field; items wait in the list. */
type Collect = (run: LuaRun, frame: Frame, table: LuaTable, items: LuaValue[]) => void;

export function compileTable(compiler: Compiler, node: TableNode): Evaluate {
  const { fields } = node;
  if (fields.length === 0) return (run) => run.newTable();
  const hasItems = fields.some(({ key }) => key === undefined);
  const hasOther = fields.some(
    ({ key }) => key !== undefined && !(key.kind === 'constant' && typeof key.value === 'string'),
  );
  // gopher-lua stores items after keyed fields; only where a key could be one of theirs does it matter.
  if (hasItems && (hasOther || leavesValue(fields))) return compileMixed(compiler, node);
  const steps: Fill[] = [];
  let items = 0;
  fields.forEach((field, i) => {
    if (field.key !== undefined) steps.push(keyed(compiler, field, { line: node.line, name: '?' }));
    else if (i === fields.length - 1 && isMulti(field.value)) steps.push(rest(compiler.list([field.value]), items));
    else steps.push(item(compiler.expression(field.value), ++items));
  });
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

function compileMixed(compiler: Compiler, { fields, line }: TableNode): Evaluate {
  const site = { line, name: '?' };
  const steps = fields.map((field, i): Collect => {
    const isLast = i === fields.length - 1;
    if (field.key === undefined) {
      const list = compiler.list(isLast || !isMulti(field.value) ? [field.value] : [{ ...field.value, single: true }]);
      return (run, frame, _table, items) => {
        for (const value of list(run, frame)) items.push(value);
      };
    }
    const key = compiler.expression(field.key);
    const value = compiler.expression(field.value);
    const leaves = isLast && isMulti(field.value);
    const leavesName = leaves && leavesKey(compiler, field.key);
    return (run, frame, table, items) => {
      const name = key(run, frame);
      const content = value(run, frame);
      frame.site = site;
      rawSet(run, table, name, content);
      if (leavesName) items.push(name);
      if (leaves) items.push(content);
    };
  });
  return (run, frame) => {
    const table = run.newTable();
    const items: LuaValue[] = [];
    for (const step of steps) step(run, frame, table, items);
    for (let i = 0; i < items.length; i++) table.setInt(i + 1, items[i]);
    return table;
  };
}

/**
 * `{1, k = f()}` in gopher-lua: a call as the last value is taken for the rest of the list, so it becomes an item, too.
 */
function leavesValue(fields: readonly TableField[]): boolean {
  const last = fields[fields.length - 1];
  return last?.key !== undefined && isMulti(last.value);
}

/** Then the key becomes an item as well, if it needs a register of its own. */
export function leavesKey(compiler: Compiler, key: Expression): boolean {
  if (key.kind === 'constant') return typeof key.value !== 'string' && typeof key.value !== 'number';
  if (foldNumber(key) !== undefined) return false;
  return key.kind !== 'local' || key.variable.owner !== compiler.fn;
}
