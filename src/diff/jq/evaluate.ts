import { isObject, type Json } from '../../model/json/index.js';
import { negate, operate, size } from './arithmetic.js';
import { findBuiltin, type Builtin } from './builtins.js';
import { children } from './children.js';
import {
  indexValue,
  computedCell,
  objectOf,
  plainCell,
  sliceOf,
  sliceEnd,
  sliceValue,
  stepTo,
  type Cell,
} from './cell.js';
import { findDefined } from './defined.js';
import { formatText } from './formats.js';
import { findForm } from './forms.js';
import { combinations, values, within, type Cells, type Frame } from './frame.js';
import { bindings } from './patterns.js';
import { bindValue, findFunction, findLabel, findValue, functionKey, type Scope } from './scope.js';
import type { Definition, Node } from './syntax.js';
import { update } from './update.js';
import { isTruthy, JqError, JqExhausted, formatValue } from './values.js';

type Of<K extends Node['kind']> = Extract<Node, { kind: K }>;

/** Nested deeper, an evaluation would overflow the stack before its budget ends it. */
const MAX_DEPTH = 1_200;
/** What an error costs beside the step that made it: the stack is unwound. */
const ERROR_COST = 10;
const NOTHING: Cells = [];

/** All results of an expression for one input, one after the other and only as far as they are asked for. */
export function run(node: Node, frame: Frame, cell: Cell): Cells {
  frame.budget.spend();
  if (frame.depth > MAX_DEPTH) throw new JqExhausted(`it calls itself more than ${MAX_DEPTH} levels deep`);
  const deeper: Frame = { scope: frame.scope, budget: frame.budget, depth: frame.depth + 1, run };
  switch (node.kind) {
    case 'identity':
      return [cell];
    case 'literal':
      return [computedCell(cell, node.value)];
    case 'index':
      return index(node, deeper, cell);
    case 'iterate':
      return iterate(node, deeper, cell);
    case 'slice':
      return slice(node, deeper, cell);
    case 'pipe':
      return pipe(node, deeper, cell);
    case 'comma':
      return comma(node, deeper, cell);
    case 'operator':
      return operator(node, deeper, cell);
    case 'and':
    case 'or':
      return logic(node, deeper, cell);
    case 'alternative':
      return alternative(node, deeper, cell);
    case 'if':
      return choose(node, deeper, cell);
    case 'call':
      return call(node, deeper, cell);
    case 'variable':
      return variable(node, deeper, cell);
    default:
      return runRest(node, deeper, cell);
  }
}

type Common =
  | 'identity'
  | 'literal'
  | 'index'
  | 'iterate'
  | 'slice'
  | 'pipe'
  | 'comma'
  | 'operator'
  | 'and'
  | 'or'
  | 'alternative'
  | 'if'
  | 'call'
  | 'variable';

function runRest(node: Exclude<Node, { kind: Common }>, frame: Frame, cell: Cell): Cells {
  switch (node.kind) {
    case 'text':
      return text(node, frame, cell);
    case 'format':
      return [computedCell(cell, formatText(node.format, cell.value))];
    case 'array':
      return [computedCell(cell, node.body === undefined ? [] : collect(node.body, frame, cell.value))];
    case 'object':
      return object(node, frame, cell);
    case 'negate':
      return negated(node, frame, cell);
    case 'update':
      return update(node, frame, cell);
    case 'try':
      return attempt(node, frame, cell);
    case 'reduce':
      return reduce(node, frame, cell);
    case 'foreach':
      return foreach(node, frame, cell);
    case 'define':
      return run(
        node.body,
        within(frame, {
          kind: 'function',
          name: functionKey(node.definition.name, node.definition.params.length),
          definition: node.definition,
          up: frame.scope,
        }),
        cell,
      );
    case 'bind':
      return bind(node, frame, cell);
    case 'label':
      return labelled(node, frame, cell);
    case 'break':
      throw new BreakSignal(findLabel(frame.scope, node.name));
    default:
      return node satisfies never;
  }
}

function collect(node: Node, frame: Frame, input: Json): Json[] {
  const list: Json[] = [];
  for (const { value } of run(node, frame, plainCell(input))) list.push(value);
  return list;
}

function* index({ base, key }: Of<'index'>, frame: Frame, cell: Cell): Cells {
  if (key.kind === 'literal' && (typeof key.value === 'string' || typeof key.value === 'number')) {
    for (const from of run(base, frame, cell)) yield stepTo(from, key.value, indexValue(from.value, key.value));
    return;
  }
  for (const from of run(base, frame, cell)) {
    for (const name of values(key, frame, cell.value)) yield keyed(from, name);
  }
}

function keyed(from: Cell, name: Json): Cell {
  const value = indexValue(from.value, name);
  if (typeof name === 'string' || typeof name === 'number') return stepTo(from, name, value);
  if (isObject(name)) return stepTo(from, sliceOf(name), value);
  if (from.trail !== undefined) throw new JqError(`invalid path step: ${formatValue(name)}`);
  return plainCell(value);
}

function* slice({ base, from, to }: Of<'slice'>, frame: Frame, cell: Cell): Cells {
  for (const whole of run(base, frame, cell)) {
    frame.budget.spend(size(whole.value));
    for (const end of to === undefined ? [null] : values(to, frame, cell.value)) {
      for (const start of from === undefined ? [null] : values(from, frame, cell.value)) {
        const part = { start: sliceEnd(start), end: sliceEnd(end) };
        yield stepTo(whole, part, sliceValue(whole.value, part));
      }
    }
  }
}

function* iterate({ base }: Of<'iterate'>, frame: Frame, cell: Cell): Cells {
  for (const from of run(base, frame, cell)) yield* children(from, frame.budget);
}

function* pipe({ left, right }: Of<'pipe'>, frame: Frame, cell: Cell): Cells {
  for (const middle of run(left, frame, cell)) yield* run(right, frame, middle);
}

function* comma({ left, right }: Of<'comma'>, frame: Frame, cell: Cell): Cells {
  yield* run(left, frame, cell);
  yield* run(right, frame, cell);
}

function* operator({ operator: sign, left, right }: Of<'operator'>, frame: Frame, cell: Cell): Cells {
  for (const b of values(right, frame, cell.value)) {
    for (const a of values(left, frame, cell.value)) yield computedCell(cell, operate(sign, a, b, frame.budget));
  }
}

function* logic({ kind, left, right }: Of<'and' | 'or'>, frame: Frame, cell: Cell): Cells {
  for (const first of values(left, frame, cell.value)) {
    if (isTruthy(first) === (kind === 'or')) yield computedCell(cell, kind === 'or');
    else for (const second of values(right, frame, cell.value)) yield computedCell(cell, isTruthy(second));
  }
}

/** What is neither null nor false on the left, or else the right. */
function* alternative({ left, right }: Of<'alternative'>, frame: Frame, cell: Cell): Cells {
  let some = false;
  for (const found of run(left, frame, cell)) {
    if (!isTruthy(found.value)) continue;
    some = true;
    yield found;
  }
  if (!some) yield* run(right, frame, cell);
}

function* choose({ condition, then, otherwise }: Of<'if'>, frame: Frame, cell: Cell): Cells {
  for (const verdict of values(condition, frame, cell.value)) {
    if (isTruthy(verdict)) yield* run(then, frame, cell);
    else if (otherwise === undefined) yield cell;
    else yield* run(otherwise, frame, cell);
  }
}

function variable({ name }: Of<'variable'>, frame: Frame, cell: Cell): Cells {
  return [computedCell(cell, findValue(frame.scope, name) ?? (name === '$ENV' ? {} : null))];
}

function call({ name, args }: Of<'call'>, frame: Frame, cell: Cell): Cells {
  const key = functionKey(name, args.length);
  const found = findFunction(frame.scope, key);
  if (found?.kind === 'closure') return run(found.node, within(frame, found.scope), cell);
  if (found !== undefined) return invoke(found.definition, args, found, frame, cell);
  const form = findForm(key);
  if (form !== undefined) return form(args, frame, cell);
  const builtin = findBuiltin(key);
  if (builtin !== undefined) return callBuiltin(builtin, args, frame, cell);
  const defined = findDefined(key);
  return defined === undefined ? NOTHING : invoke(defined, args, undefined, frame, cell);
}

/** A call of a definition: arguments with `$` are values, one call for each combination; others stay expressions. */
function* invoke(
  { params, body }: Definition,
  args: readonly Node[],
  up: Scope | undefined,
  frame: Frame,
  cell: Cell,
): Cells {
  for (const scope of argumentScopes(params, args, up, frame, cell.value)) yield* run(body, within(frame, scope), cell);
}

function* argumentScopes(
  params: readonly string[],
  args: readonly Node[],
  up: Scope | undefined,
  frame: Frame,
  input: Json,
): Iterable<Scope | undefined> {
  const [param, ...others] = params;
  const [arg, ...rest] = args;
  if (param === undefined || arg === undefined) {
    yield up;
    return;
  }
  if (!param.startsWith('$')) {
    yield* argumentScopes(
      others,
      rest,
      { kind: 'closure', name: functionKey(param, 0), node: arg, scope: frame.scope, up },
      frame,
      input,
    );
    return;
  }
  for (const value of values(arg, frame, input)) {
    const named = bindValue(up, param, value);
    yield* argumentScopes(
      others,
      rest,
      {
        kind: 'closure',
        name: functionKey(param.slice(1), 0),
        node: { kind: 'literal', value },
        scope: undefined,
        up: named,
      },
      frame,
      input,
    );
  }
}

function* callBuiltin(builtin: Builtin, args: readonly Node[], frame: Frame, cell: Cell): Cells {
  for (const given of combinations(args, frame, cell.value))
    yield computedCell(cell, builtin(cell.value, given, frame.budget));
}

function* text({ format, parts }: Of<'text'>, frame: Frame, cell: Cell): Cells {
  const queries = parts.filter((part): part is Node => typeof part !== 'string');
  for (const results of combinations(queries, frame, cell.value)) {
    let at = 0;
    const made = parts
      .map((part) =>
        typeof part === 'string' ? part : formatText(format === '' ? '@text' : format, results[at++] ?? null),
      )
      .join('');
    frame.budget.spend(made.length >> 4);
    yield computedCell(cell, made);
  }
}

function* object({ entries }: Of<'object'>, frame: Frame, cell: Cell): Cells {
  const nodes = entries.flatMap(({ key, value }) => [key, value]);
  for (const results of ordered(nodes, frame, cell.value)) {
    const members: [string, Json][] = [];
    for (let at = 0; at < results.length; at += 2) {
      const key = results[at] ?? null;
      if (typeof key !== 'string') throw new JqError(`expected a string for object key but got: ${formatValue(key)}`);
      members.push([key, results[at + 1] ?? null]);
    }
    yield computedCell(cell, objectOf(members));
  }
}

/** Every combination; the first expression varies slowest. */
function* ordered(nodes: readonly Node[], frame: Frame, input: Json): Iterable<Json[]> {
  const [first, ...rest] = nodes;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const value of values(first, frame, input))
    for (const after of ordered(rest, frame, input)) yield [value, ...after];
}

function* negated({ body }: Of<'negate'>, frame: Frame, cell: Cell): Cells {
  for (const value of values(body, frame, cell.value)) yield computedCell(cell, negate(value));
}

class BreakSignal extends Error {
  constructor(readonly id: symbol | undefined) {
    super('break');
  }
}

function* labelled({ name, body }: Of<'label'>, frame: Frame, cell: Cell): Cells {
  const id = Symbol(name);
  try {
    yield* run(body, within(frame, { kind: 'label', name, id, up: frame.scope }), cell);
  } catch (error) {
    if (!(error instanceof BreakSignal) || error.id !== id) throw error;
  }
}

function* attempt({ body, handler }: Of<'try'>, frame: Frame, cell: Cell): Cells {
  let failed: JqError;
  try {
    yield* run(body, frame, cell);
    return;
  } catch (error) {
    if (!(error instanceof JqError)) throw error;
    frame.budget.spend(ERROR_COST);
    failed = error;
  }
  if (handler !== undefined) yield* run(handler, frame, computedCell(cell, failed.value));
}

/** Folds to one value; gojq gives it no place, even where every step is one. */
function* reduce({ source, pattern, start, update: step }: Of<'reduce'>, frame: Frame, cell: Cell): Cells {
  for (const first of values(start, frame, cell.value)) {
    let state: Json | undefined = first;
    for (const value of values(source, frame, cell.value)) {
      for (const scope of bindings(pattern, value, frame)) {
        const before: Json | undefined = state;
        state = undefined;
        if (before !== undefined) for (const next of values(step, within(frame, scope), before)) state = next;
      }
    }
    if (state !== undefined) yield computedCell(cell, state);
  }
}

function* foreach({ source, pattern, start, update: step, extract }: Of<'foreach'>, frame: Frame, cell: Cell): Cells {
  for (const first of run(start, frame, cell)) {
    let state: Cell = first;
    for (const value of values(source, frame, cell.value)) {
      for (const scope of bindings(pattern, value, frame)) {
        for (const next of run(step, within(frame, scope), state)) {
          state = next;
          if (extract === undefined) yield next;
          else yield* run(extract, within(frame, scope), next);
        }
      }
    }
  }
}

function* bind({ source, pattern, body }: Of<'bind'>, frame: Frame, cell: Cell): Cells {
  for (const value of values(source, frame, cell.value)) {
    for (const scope of bindings(pattern, value, frame)) yield* run(body, within(frame, scope), cell);
  }
}
