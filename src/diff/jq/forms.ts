import { isArray, type Json, type JsonObject } from '../../model/json/index.js';
import { children } from './children.js';
import { getPath, computedCell, pathFromJson, stepTo, type Cell } from './cell.js';
import { combinations, paths, values, type Cells, type Frame } from './frame.js';
import { capturesOf, matches } from './regex.js';
import type { Node } from './syntax.js';
import { compareValues, isEqual, isNumber, isTruthy, JqError, JqExhausted, formatValue } from './values.js';

/** A function whose arguments are expressions, or that gives more or less than one value. */
type Form = (args: readonly Node[], frame: Frame, cell: Cell) => Cells;

/** Rounds of a loop that may be open at once: each keeps what it was made of. */
const MAX_OPEN = 10_000;
const NONE: Node = { kind: 'literal', value: null };

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['empty/0', () => []],
  ['error/0', (_args, _frame, { value }) => fail(value)],
  [
    'error/1',
    function* ([message = NONE], frame, { value }) {
      for (const reason of values(message, frame, value)) fail(reason);
    },
  ],
  [
    'path/1',
    function* ([body = NONE], frame, cell) {
      for (const path of paths(body, frame, cell.value)) yield computedCell(cell, path);
    },
  ],
  ['getpath/1', getpath],
  [
    'paths/0',
    function* (_args, frame, cell) {
      for (const path of paths(RECURSE, frame, cell.value)) if (path.length > 0) yield computedCell(cell, path);
    },
  ],
  [
    'recurse/0',
    (_args, frame, cell) => descend(cell, (from) => (isContainer(from.value) ? children(from, frame.budget) : [])),
  ],
  ['recurse/1', ([body = NONE], frame, cell) => descend(cell, (from) => frame.run(body, frame, from))],
  ['range/1', ([end = NONE], frame, cell) => range([ZERO, end, ONE], frame, cell)],
  ['range/2', ([start = NONE, end = NONE], frame, cell) => range([start, end, ONE], frame, cell)],
  ['range/3', range],
  ['first/1', ([body = NONE], frame, cell) => limited(frame.run(body, frame, cell), 1)],
  ['last/1', last],
  ['limit/2', limit],
  ['skip/2', skip],
  ['until/2', until],
  ['while/2', loopWhile],
  [
    'repeat/1',
    function* ([body = NONE], frame, cell) {
      for (;;) yield* frame.run(body, frame, cell);
    },
  ],
  [
    'isempty/1',
    ([body = NONE], frame, cell) => [computedCell(cell, [...limited(frame.run(body, frame, cell), 1)].length === 0)],
  ],
  ['any/2', (args, frame, cell) => [computedCell(cell, quantified(args, frame, cell.value, true))]],
  ['all/2', (args, frame, cell) => [computedCell(cell, !quantified(args, frame, cell.value, false))]],
  ['sort_by/1', by((groups) => groups.flat())],
  ['group_by/1', by((groups) => groups)],
  ['unique_by/1', by((groups) => groups.map(([first = null]) => first))],
  ['min_by/1', by((groups) => groups[0]?.[0] ?? null)],
  ['max_by/1', by((groups) => groups.at(-1)?.at(-1) ?? null)],
  ['match/1', matchForm((match) => match)],
  ['match/2', matchForm((match) => match)],
  ['capture/1', matchForm(capturesOf)],
  ['capture/2', matchForm(capturesOf)],
  ['debug/0', (_args, _frame, cell) => [cell]],
]);
const RECURSE: Node = { kind: 'call', name: 'recurse', args: [], at: 0 };
const ZERO: Node = { kind: 'literal', value: 0 };
const ONE: Node = { kind: 'literal', value: 1 };

export function findForm(key: string): Form | undefined {
  return FORMS.get(key);
}

function fail(value: Json): never {
  throw new JqError(value);
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

function* getpath([body = NONE]: readonly Node[], frame: Frame, cell: Cell): Cells {
  for (const value of values(body, frame, cell.value)) {
    let at = cell;
    const path = pathFromJson(value);
    for (const [index, step] of path.entries()) at = stepTo(at, step, getPath(cell.value, path.slice(0, index + 1)));
    yield at;
  }
}

/** A value and everything that a step leads to from it, depth first and without recursion. */
function* descend(cell: Cell, step: (from: Cell) => Cells): Cells {
  yield cell;
  const open = [step(cell)[Symbol.iterator]()];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.next();
    if (next.done === true) open.pop();
    else {
      yield next.value;
      if (open.push(step(next.value)[Symbol.iterator]()) > MAX_OPEN)
        throw new JqExhausted(`it went deeper than ${MAX_OPEN} levels`);
    }
  }
}

function* range(bounds: readonly Node[], frame: Frame, cell: Cell): Cells {
  for (const [step = null, end = null, start = null] of combinations([...bounds].reverse(), frame, cell.value)) {
    if (!isNumber(start) || !isNumber(end) || !isNumber(step))
      throw new JqError(`range cannot be applied to: ${formatValue([start, end, step])}`);
    const [last, by] = [Number(end), Number(step)];
    for (let at = Number(start); by > 0 ? at < last : by < 0 && at > last; at += by) {
      frame.budget.spend();
      yield computedCell(cell, at);
    }
  }
}

function* limited(cells: Cells, count: number): Cells {
  let left = count;
  if (left <= 0) return;
  for (const found of cells) {
    yield found;
    if (--left <= 0) return;
  }
}

function* limit([count = NONE, body = NONE]: readonly Node[], frame: Frame, cell: Cell): Cells {
  for (const most of values(count, frame, cell.value)) {
    if (compareValues(most, 0) < 0) throw new JqError("limit doesn't support negative count");
    yield* limited(frame.run(body, frame, cell), Number(most));
  }
}

function* skip([count = NONE, body = NONE]: readonly Node[], frame: Frame, cell: Cell): Cells {
  for (const least of values(count, frame, cell.value)) {
    if (compareValues(least, 0) < 0) throw new JqError("skip doesn't support negative count");
    let left = Number(least);
    for (const found of frame.run(body, frame, cell)) if (left-- <= 0) yield found;
  }
}

function last([body = NONE]: readonly Node[], frame: Frame, cell: Cell): Cells {
  let found: Json | undefined;
  for (const each of values(body, frame, cell.value)) found = each;
  return found === undefined ? [] : [computedCell(cell, found)];
}

/** Every way through the loop; with one verdict and one next value at a time it is a plain loop. */
function* until([condition = NONE, next = NONE]: readonly Node[], frame: Frame, cell: Cell): Cells {
  const open: Iterator<Cell>[] = [[cell][Symbol.iterator]()];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const step = top.next();
    if (step.done === true) {
      open.pop();
      continue;
    }
    for (const verdict of values(condition, frame, step.value.value)) {
      if (isTruthy(verdict)) yield step.value;
      else if (open.push(frame.run(next, frame, step.value)[Symbol.iterator]()) > MAX_OPEN)
        throw new JqExhausted(`it went round more than ${MAX_OPEN} times`);
    }
  }
}

function loopWhile([condition = NONE, next = NONE]: readonly Node[], frame: Frame, cell: Cell): Cells {
  const holds = (from: Cell): boolean =>
    [...limited(frame.run(condition, frame, computedCell(from, from.value)), 1)].some(({ value }) => isTruthy(value));
  function* kept(cells: Cells): Cells {
    for (const each of cells) if (holds(each)) yield each;
  }
  return holds(cell) ? descend(cell, (from) => kept(frame.run(next, frame, from))) : [];
}

/** Whether one of the values passes the test with this verdict. */
function quantified(
  [source = NONE, test = NONE]: readonly Node[],
  frame: Frame,
  input: Json,
  wanted: boolean,
): boolean {
  for (const value of values(source, frame, input)) {
    for (const verdict of values(test, frame, value)) if (isTruthy(verdict) === wanted) return true;
  }
  return false;
}

/** The items of a list in groups of equal keys, in the order of the keys. */
function by(pick: (groups: Json[][]) => Json): Form {
  return ([body = NONE], frame, cell) => {
    const list = cell.value;
    if (!isArray(list)) throw new JqError(`cannot be sorted or grouped: ${formatValue(list)}`);
    frame.budget.spend(4 * list.length);
    const keyed = list
      .map((item) => ({ item, key: [...values(body, frame, item)] }))
      .sort((a, b) => compareValues(a.key, b.key));
    const groups: Json[][] = [];
    for (const [at, { item, key }] of keyed.entries()) {
      if (at > 0 && isEqual(key, keyed[at - 1]?.key ?? null)) groups.at(-1)?.push(item);
      else groups.push([item]);
    }
    return [computedCell(cell, pick(groups))];
  };
}

function matchForm(show: (match: JsonObject) => Json): Form {
  return function* (args, frame, cell) {
    for (const given of combinations(args, frame, cell.value))
      for (const match of matches(cell.value, given, frame.budget)) yield computedCell(cell, show(match));
  };
}
