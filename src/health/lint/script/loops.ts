import type {
  CallExpression,
  ForGenericStatement,
  ForNumericStatement,
  RepeatStatement,
  WhileStatement,
} from 'luaparse';
import type { Flow, Interpreter, Outcome } from './analysis.js';
import { evaluateList } from './calls.js';
import { requireValue } from './nil-use.js';
import type { Statement } from './parse-script.js';
import { elementPlace } from './read-field.js';
import { knowledge, meet, State } from './state.js';
import { decide, emptiness } from './truth.js';
import { NIL, present, TEXT, unknown, type Place, type Scope, type Value } from './value.js';

type Loop = WhileStatement | RepeatStatement | ForNumericStatement | ForGenericStatement;

/** Rounds of a loop that are followed; by then flags and counters have taken every value that matters. */
const MAX_ROUNDS = 8;

export function runLoop(interpreter: Interpreter, node: Loop, state: State, scope: Scope): Flow {
  switch (node.type) {
    case 'WhileStatement':
      return runRounds(interpreter, node, [state], {
        scope,
        enter: (states) => split(interpreter, node, states, scope),
      });
    case 'RepeatStatement':
      return runRepeat(interpreter, node, state, scope);
    case 'ForNumericStatement':
      return runNumeric(interpreter, node, state, scope);
    case 'ForGenericStatement':
      return runGeneric(interpreter, node, state, scope);
    default:
      return node satisfies never;
  }
}

interface Entry {
  /** Paths that go through the body once more. */
  readonly inside: readonly State[];
  /** Paths that leave the loop here. */
  readonly outside: readonly State[];
}

interface Rounds {
  readonly scope: Scope;
  readonly enter: (states: readonly State[], round: number) => Entry;
  /** How many rounds there are, where the script itself lists the elements. */
  readonly exactly?: number;
}

/** Runs the body until no path differs from one already seen. */
function runRounds(
  interpreter: Interpreter,
  node: Loop & { readonly body: readonly Statement[] },
  entering: readonly State[],
  { scope, enter, exactly }: Rounds,
): Flow {
  const { analysis } = interpreter;
  const seen = new Map<string, State>();
  const most = exactly === undefined ? MAX_ROUNDS : exactly + 1;
  const flow: { -readonly [Name in keyof Flow]: Flow[Name][number][] } = {
    next: [],
    breaks: [],
    returns: [],
    jumps: [],
  };
  let states: readonly State[] = analysis.merge(entering);
  for (let round = 0; states.length > 0 && round < most; round++) {
    const { inside, outside } = enter(states, round);
    flow.next.push(...outside);
    const body = interpreter.run(node.body, analysis.merge(inside), scope);
    flow.returns.push(...body.returns);
    flow.jumps.push(...body.jumps);
    flow.next.push(...body.breaks);
    states = exactly === undefined ? newStates(seen, analysis.merge(body.next)) : analysis.merge(body.next);
    if (round === most - 1) flow.next.push(...states);
  }
  return { ...flow, next: analysis.merge(flow.next) };
}

/** States that add something to what was seen at the head of the loop. */
function newStates(seen: Map<string, State>, states: readonly State[]): State[] {
  return states.flatMap((state) => {
    const known = seen.get(state.valuation);
    const merged = known === undefined ? state : meet(known, state);
    if (known !== undefined && knowledge(merged) === knowledge(known)) return [];
    seen.set(state.valuation, merged);
    return [merged];
  });
}

function split(
  interpreter: Interpreter,
  node: WhileStatement | RepeatStatement,
  states: readonly State[],
  scope: Scope,
): Entry {
  const decisions = states
    .flatMap((state) => interpreter.evaluate(node.condition, state, scope))
    .flatMap((outcome) => decide(outcome, interpreter.analysis));
  return {
    inside: decisions.filter(({ truth }) => truth).map(({ state }) => state),
    outside: decisions.filter(({ truth }) => !truth).map(({ state }) => state),
  };
}

function runRepeat(interpreter: Interpreter, node: RepeatStatement, state: State, scope: Scope): Flow {
  return runRounds(interpreter, node, [state], {
    scope,
    enter: (states, round) => {
      if (round === 0) return { inside: states, outside: [] };
      const { inside, outside } = split(interpreter, node, states, scope);
      return { inside: outside, outside: inside };
    },
  });
}

function runNumeric(interpreter: Interpreter, node: ForNumericStatement, state: State, outer: Scope): Flow {
  const { analysis } = interpreter;
  const bounds = node.step === null ? [node.start, node.end] : [node.start, node.end, node.step];
  const entering = evaluateList(interpreter, bounds, state, outer).flatMap((list) => {
    const after = bounds.reduce<State | undefined>(
      (before, bound, index) =>
        before === undefined
          ? undefined
          : requireValue(
              list.values[index] ?? NIL,
              { kind: 'arithmetic', operator: 'for' },
              { state: before, node: bound, analysis },
            ),
      list.state,
    );
    return after === undefined ? [] : [after];
  });
  const scope: Scope = { parent: outer, names: new Map(), calls: outer.calls };
  const cell = `${analysis.idOf(node.variable)}@${outer.calls}`;
  scope.names.set(node.variable.name, cell);
  const number = present(`${cell} index`, node.variable.name);
  const flow = runRounds(interpreter, node, entering, {
    scope,
    enter: (states) => ({
      inside: states.map((before) => before.withoutFacts(`${cell} index`).withCell(cell, number)),
      outside: states,
    }),
  });
  return leave(flow, [cell]);
}

function leave(flow: Flow, cells: readonly string[]): Flow {
  const drop = (state: State): State => state.withoutCells(cells);
  return {
    ...flow,
    next: flow.next.map(drop),
    jumps: flow.jumps.map(({ label, state }) => ({ label, state: drop(state) })),
  };
}

function runGeneric(interpreter: Interpreter, node: ForGenericStatement, state: State, outer: Scope): Flow {
  const { analysis } = interpreter;
  const scope: Scope = { parent: outer, names: new Map(), calls: outer.calls };
  const cells = node.variables.map((variable) => {
    const cell = `${analysis.idOf(variable)}@${outer.calls}`;
    scope.names.set(variable.name, cell);
    return cell;
  });
  const flows = listsOf(interpreter, node, state, outer).map(({ state: entering, value }) => {
    const items = writtenItems(value, entering);
    const enter = (states: readonly State[], round: number): Entry =>
      enterElement(interpreter, node, { states, round, list: value, cells, items });
    return leave(
      runRounds(interpreter, node, [entering], {
        scope,
        enter,
        ...(items === undefined ? {} : { exactly: items.length }),
      }),
      cells,
    );
  });
  return {
    next: analysis.merge(flows.flatMap((flow) => flow.next)),
    breaks: [],
    returns: flows.flatMap((flow) => flow.returns),
    jumps: flows.flatMap((flow) => flow.jumps),
  };
}

/** What `ipairs` or `pairs` goes through; any other iterator gives anything. */
function listsOf(interpreter: Interpreter, node: ForGenericStatement, state: State, scope: Scope): Outcome[] {
  const { analysis } = interpreter;
  const call = node.iterators[0];
  const iterator = call?.type === 'CallExpression' && call.base.type === 'Identifier' ? call.base.name : '';
  const list = iterator === 'ipairs' || iterator === 'pairs' ? (call as CallExpression).arguments[0] : undefined;
  if (list === undefined) {
    return evaluateList(interpreter, node.iterators, state, scope).map((result) => ({
      state: result.state,
      value: unknown(`${analysis.idOf(node)} list`, ''),
    }));
  }
  return interpreter.evaluate(list, state, scope).flatMap((outcome) => {
    const there = requireValue(
      outcome.value,
      { kind: 'iterate', iterator },
      { state: outcome.state, node: list, analysis },
    );
    return there === undefined ? [] : [{ state: there, value: outcome.value }];
  });
}

/** Lists longer than this are gone through as if nobody knew their elements. */
const MAX_LIST_LENGTH = 40;

/** The elements of a table that the script wrote out. */
function writtenItems(list: Value, state: State): readonly Value[] | undefined {
  const table = list.kind === 'table' ? state.tables.get(list.id) : undefined;
  return table === undefined || table.isOpen || table.fields.size > MAX_LIST_LENGTH
    ? undefined
    : [...table.fields.values()];
}

interface ElementEntry {
  readonly states: readonly State[];
  readonly round: number;
  readonly list: Value;
  readonly cells: readonly string[];
  readonly items: readonly Value[] | undefined;
}

function enterElement(
  interpreter: Interpreter,
  node: ForGenericStatement,
  { states, round, list, cells, items }: ElementEntry,
): Entry {
  const [keyCell = '', valueCell] = cells;
  const text = node.variables[1]?.name ?? '';
  const element = items === undefined ? elementOf(interpreter, node, list, text) : items[round];
  const key = `${keyCell} key`;
  const entering =
    element === undefined ? [] : states.filter((state) => round > 0 || lengthKnown(list, state) !== 'empty');
  const inside = entering.map((state) => {
    let after = state.withoutFacts(key).withCell(keyCell, list.kind === 'place' ? present(key, '') : TEXT);
    if (element?.kind === 'place' && items === undefined) after = renewElement(after, element.place);
    return valueCell === undefined || element === undefined ? after : after.withCell(valueCell, element);
  });
  if (items !== undefined) return { inside, outside: element === undefined ? states : [] };
  const outside = states.filter((state) => round > 0 || lengthKnown(list, state) !== 'filled');
  return { inside, outside: outside.map((state) => markLength(list, round, state)) };
}

function elementOf({ analysis }: Interpreter, node: ForGenericStatement, list: Value, text: string): Value {
  if (list.kind === 'place')
    return { kind: 'place', place: elementPlace(list.place, `e${analysis.idOf(node)}`, text, 'never') };
  return unknown(`${analysis.idOf(node)} element`, text);
}

function lengthKnown(list: Value, state: State): 'empty' | 'filled' | undefined {
  if (list.kind === 'place') return emptiness(list.place.key, state);
  return list.kind === 'table' ? emptiness(list.id, state) : undefined;
}

/** A list that was gone through in no round is empty, else it is not; the next loop over it agrees. */
function markLength(list: Value, round: number, state: State): State {
  if (list.kind !== 'place') return state;
  return state.withFact(
    `#${list.place.key}`,
    round === 0 ? { equals: 0, nil: false } : { differs: new Set([0]), nil: false },
  );
}

/**
 * The element becomes another one. A variable that still holds something of the one before keeps only whether it is
 * there, so that any number of rounds ends in the same state.
 */
function renewElement(state: State, place: Place): State {
  const old = `${place.key}'`;
  const isCurrent = (key: string): boolean => key === place.key || key.startsWith(`${place.key}.`);
  const keep = (value: Value): Value => {
    if (value.kind !== 'place' || !isCurrent(value.place.key)) return value;
    const fact = state.facts.get(value.place.key);
    const isThere = fact?.nil === false || fact?.truthy === true || fact?.equals !== undefined;
    const key = `${old}${value.place.key.slice(place.key.length)}`;
    return {
      kind: 'place',
      place: { ...value.place, key: isThere ? `${key}!` : key, absence: isThere ? 'never' : value.place.absence },
    };
  };
  const held = [...state.cells.values(), ...[...state.tables.values()].flatMap((table) => [...table.fields.values()])];
  const cleared = state.withoutFacts(old).withoutFacts(place.key);
  if (!held.some((value) => keep(value) !== value)) return cleared;
  const cells = new Map([...cleared.cells].map(([key, value]) => [key, keep(value)]));
  const tables = new Map(
    [...cleared.tables].map(([id, table]) => [
      id,
      { ...table, fields: new Map([...table.fields].map(([name, value]) => [name, keep(value)])) },
    ]),
  );
  return new State(cells, tables, cleared.facts);
}
