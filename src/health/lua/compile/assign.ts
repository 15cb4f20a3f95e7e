import { NORMAL, type Compiler, type Evaluate, type Execute } from './types.js';
import { assignLogic } from './logic.js';
import { assignOne, declareVariable, writeGlobal, writeVariable, type Assign } from './variable.js';
import type { CallSite, Frame } from '../frame.js';
import { rawSet, setIndex } from '../operations.js';
import type { LuaRun } from '../run.js';
import { isMulti, type Expression, type IndexNode, type StatementOf, type Target } from '../syntax/tree.js';
import { LuaTable, type LuaValue } from '../value.js';

export function compileLocalAssign(compiler: Compiler, { variables, values }: StatementOf<'localAssign'>): Execute {
  const [variable] = variables;
  const [value] = values;
  if (variables.length === 1 && values.length === 1 && variable !== undefined && value !== undefined) {
    if (value.kind === 'function')
      return localFunction(compiler, declareVariable(compiler, variable), writeVariable(compiler, variable), value);
    const evaluate = compiler.expression(value);
    if (variable.captured) return assignOne(declareVariable(compiler, variable), evaluate);
    const { slot } = variable;
    return (run, frame) => {
      frame.slots[slot] = evaluate(run, frame);
      return NORMAL;
    };
  }
  const declare = variables.map((each) => declareVariable(compiler, each));
  const list = compiler.list(values);
  return (run, frame) => {
    const results = list(run, frame);
    for (let i = 0; i < declare.length; i++) declare[i]?.(run, frame, results[i]);
    return NORMAL;
  };
}

/** The variable begins before the function is made, so that the function can call itself. */
function localFunction(compiler: Compiler, declare: Assign, write: Assign, value: Expression): Execute {
  const evaluate = compiler.expression(value);
  return (run, frame) => {
    declare(run, frame, undefined);
    write(run, frame, evaluate(run, frame));
    return NORMAL;
  };
}

export function compileAssign(compiler: Compiler, { targets, values }: StatementOf<'assign'>): Execute {
  const [target] = targets;
  const [value] = values;
  if (targets.length === 1 && values.length === 1 && target !== undefined && value !== undefined) {
    if (target.kind === 'index') return assignField(compiler, target, compiler.expression(value));
    if ((value.kind === 'and' || value.kind === 'or') && target.kind === 'local' && isOwnLocal(compiler, target))
      return assignLogic(compiler, target.variable, value);
    return assignOne(assignName(compiler, target), compiler.expression(value));
  }
  return compileParallel(compiler, targets, values);
}

function assignName(compiler: Compiler, target: Exclude<Target, IndexNode>): Assign {
  return target.kind === 'local' ? writeVariable(compiler, target.variable) : writeGlobal(compiler, target);
}

function assignField(compiler: Compiler, { object, key, line }: IndexNode, evaluate: Evaluate): Execute {
  const evaluateObject = compiler.expression(object);
  const site = { line, name: '?' };
  if (object.kind === 'local' && object.variable.captured && isOwnLocal(compiler, object))
    return assignLate(evaluateObject, compiler.expression(key), evaluate, site);
  if (key.kind === 'constant' && typeof key.value === 'string') {
    const name = key.value;
    return (run, frame) => {
      const table = evaluateObject(run, frame);
      const value = evaluate(run, frame);
      if (table instanceof LuaTable && table.metatable === undefined) table.setString(name, value);
      else {
        frame.site = site;
        setIndex(run, table, name, value);
      }
      return NORMAL;
    };
  }
  const evaluateKey = compiler.expression(key);
  return (run, frame) => {
    const table = evaluateObject(run, frame);
    const name = evaluateKey(run, frame);
    store(run, frame, table, name, evaluate(run, frame), site);
    return NORMAL;
  };
}

/** The value may change the variable that holds the table; gopher-lua then stores into the new table. */
function assignLate(object: Evaluate, key: Evaluate, evaluate: Evaluate, site: CallSite): Execute {
  return (run, frame) => {
    const name = key(run, frame);
    const value = evaluate(run, frame);
    store(run, frame, object(run, frame), name, value, site);
    return NORMAL;
  };
}

function store(run: LuaRun, frame: Frame, table: LuaValue, key: LuaValue, value: LuaValue, site: CallSite): void {
  frame.site = site;
  if (table instanceof LuaTable && table.metatable === undefined) rawSet(run, table, key, value);
  else setIndex(run, table, key, value);
}

/** One target of `a, b.c = …`: what it evaluates before the values, and how it stores afterwards. */
export interface Place {
  readonly object: Evaluate | undefined;
  readonly key: Evaluate | undefined;
  /** The object is a local, which gopher-lua reads only when it stores. */
  readonly isLate: boolean;
  /**
   * gopher-lua writes a local as soon as its value is there, even when later values read it: `a, b = b, a` gives b
   * twice.
   */
  readonly early: Assign | undefined;
  readonly assign: Assign | undefined;
  /** Evaluates and stores `and` and `or` for a local in one go. */
  readonly logic: Execute | undefined;
  readonly site: CallSite;
}

function compileParallel(compiler: Compiler, targets: readonly Target[], values: readonly Expression[]): Execute {
  const last = values[values.length - 1];
  const isSpread = last !== undefined && isMulti(last) && values.length <= targets.length;
  const fixed = isSpread ? values.length - 1 : targets.length;
  const places = targets.map((target, i) => placeOf(compiler, target, values[i], i < fixed));
  const items = values.slice(0, isSpread ? fixed : values.length).map((value) => compiler.expression(value));
  const rest = isSpread ? compiler.list([last]) : undefined;
  return (run, frame) => {
    const objects: LuaValue[] = [];
    const keys: LuaValue[] = [];
    for (const { object, key, isLate } of places) {
      objects.push(isLate ? undefined : object?.(run, frame));
      keys.push(key?.(run, frame));
    }
    const results: LuaValue[] = [];
    for (let i = 0; i < fixed || i < items.length; i++) {
      const place = places[i];
      const result = place?.logic === undefined ? items[i]?.(run, frame) : place.logic(run, frame);
      results.push(result);
      if (place?.logic === undefined) place?.early?.(run, frame, result);
    }
    if (rest !== undefined) results.push(...rest(run, frame));
    for (let i = places.length - 1; i >= 0; i--) storeAt(run, frame, places[i], objects[i], keys[i], results[i]);
    return NORMAL;
  };
}

function storeAt(
  run: LuaRun,
  frame: Frame,
  place: Place | undefined,
  object: LuaValue,
  key: LuaValue,
  value: LuaValue,
): void {
  if (place?.object === undefined) place?.assign?.(run, frame, value);
  else store(run, frame, place.isLate ? place.object(run, frame) : object, key, value, place.site);
}

export function placeOf(compiler: Compiler, target: Target, value: Expression | undefined, isFixed: boolean): Place {
  const site = { line: target.line, name: '?' };
  const none = {
    object: undefined,
    key: undefined,
    isLate: false,
    early: undefined,
    assign: undefined,
    logic: undefined,
    site,
  };
  if (target.kind === 'index') {
    const { object, key } = target;
    return {
      ...none,
      object: compiler.expression(object),
      key: compiler.expression(key),
      isLate: isOwnLocal(compiler, object),
    };
  }
  const assign = assignName(compiler, target);
  if (!isFixed || !isOwnLocal(compiler, target)) return { ...none, assign };
  // Tables and calls are written once more at the end.
  const isTwice = value?.kind === 'table' || value?.kind === 'call' || value?.kind === 'method';
  const logic =
    value !== undefined && target.kind === 'local' && (value.kind === 'and' || value.kind === 'or')
      ? assignLogic(compiler, target.variable, value)
      : undefined;
  return { ...none, early: assign, logic, assign: isTwice ? assign : undefined };
}

function isOwnLocal(compiler: Compiler, node: Expression): boolean {
  return node.kind === 'local' && node.variable.owner === compiler.fn;
}
