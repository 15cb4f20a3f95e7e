import type { CallExpression, MemberExpression, StringCallExpression, TableCallExpression } from 'luaparse';
import type { Interpreter, Outcome } from './analysis.js';
import { callBuiltin } from './builtins.js';
import { openLibsHint } from './globals.js';
import { requireValue } from './nil-use.js';
import { walk, type Expression, type Node } from './parse-script.js';
import { readField } from './read-field.js';
import type { State } from './state.js';
import { openTables } from './tables.js';
import { NIL, unknown, type Scope, type Value } from './value.js';

type Call = CallExpression | StringCallExpression | TableCallExpression;

/** Calls inside calls beyond this are not followed. */
const MAX_DEPTH = 6;
const STRING_METHODS = [
  'byte',
  'find',
  'format',
  'gmatch',
  'gsub',
  'len',
  'lower',
  'match',
  'rep',
  'reverse',
  'sub',
  'upper',
];

export function evaluateCall(interpreter: Interpreter, node: Call, state: State, scope: Scope): Outcome[] {
  const args = argumentsOf(node);
  if (node.base.type === 'MemberExpression' && node.base.indexer === ':')
    return callMethod(interpreter, node.base, args, state, scope);
  return interpreter.evaluate(node.base, state, scope).flatMap((base) => {
    const there = requireValue(
      base.value,
      { kind: 'call' },
      { state: base.state, node: node.base, analysis: interpreter.analysis },
    );
    if (there === undefined) return [];
    return evaluateList(interpreter, args, there, scope).flatMap(({ state: after, values }) =>
      interpreter.call(base.value, values, { state: after, node, scope }),
    );
  });
}

/** The arguments of a call, whichever of its three spellings was used. */
export function argumentsOf(node: Call): readonly Expression[] {
  if (node.type === 'CallExpression') return node.arguments;
  return [node.type === 'StringCallExpression' ? node.argument : node.arguments];
}

function callMethod(
  interpreter: Interpreter,
  base: MemberExpression,
  args: readonly Expression[],
  state: State,
  scope: Scope,
): Outcome[] {
  const { analysis } = interpreter;
  const field = base.identifier.name;
  return interpreter.evaluate(base.base, state, scope).flatMap((target) => {
    const there = requireValue(
      target.value,
      { kind: 'method', field },
      { state: target.state, node: base.base, analysis },
    );
    if (there === undefined) return [];
    const isText =
      target.value.kind === 'text' ||
      target.value.kind === 'literal' ||
      (target.value.kind === 'place' && STRING_METHODS.includes(field));
    if (isText && !analysis.settings.openLibs) reportMethod(interpreter, base);
    return evaluateList(interpreter, args, there, scope).flatMap(({ state: after, values }) => {
      if (isText)
        return interpreter.call({ kind: 'builtin', name: `string.${field}` }, [target.value, ...values], {
          state: after,
          node: base,
          scope,
        });
      const method = readField(target.value, field, { state: after, node: base, analysis });
      return interpreter.call(method.value, [target.value, ...values], { state: method.state, node: base, scope });
    });
  });
}

function reportMethod({ analysis }: Interpreter, node: MemberExpression): void {
  analysis.report('needs-open-libs', node, {
    severity: 'error',
    message:
      `\`${analysis.textOf(node)}\` needs the string library, which is off for this check, so the script ` +
      'stops with an error and Argo CD shows the resource as Unknown.',
    hint: openLibsHint(analysis),
  });
}

interface List {
  readonly state: State;
  readonly values: readonly Value[];
}

/** A list of expressions; the last one may give several values. */
export function evaluateList(
  interpreter: Interpreter,
  nodes: readonly Expression[],
  state: State,
  scope: Scope,
): List[] {
  let lists: List[] = [{ state, values: [] }];
  nodes.forEach((node, index) => {
    const isLast = index === nodes.length - 1;
    lists = lists.flatMap((list) =>
      interpreter.evaluate(node, list.state, scope).map((outcome) => ({
        state: outcome.state,
        values: [...list.values, outcome.value, ...(isLast ? (outcome.rest ?? []) : [])],
      })),
    );
  });
  return lists;
}

/** Calls a value: a function of the script is followed, a library function is known, anything else gives anything. */
export function callValue(
  interpreter: Interpreter,
  callee: Value,
  args: readonly Value[],
  at: { state: State; node: Node; scope: Scope },
): Outcome[] {
  const { analysis } = interpreter;
  if (callee.kind === 'builtin') return callBuiltin(interpreter, callee.name, args, at);
  const depth = at.scope.calls.split('/').length;
  if (callee.kind !== 'function' || depth > MAX_DEPTH) {
    return [
      {
        state: openTables(at.state, args),
        value: unknown(`${analysis.idOf(at.node)}@${at.scope.calls}`, analysis.textOf(at.node)),
      },
    ];
  }
  return callOnce(interpreter, callee, args, at);
}

/** The same question asked twice has the same answer, where the function changes nothing. */
function callOnce(
  interpreter: Interpreter,
  callee: Value & { kind: 'function' },
  args: readonly Value[],
  at: { state: State; node: Node; scope: Scope },
): Outcome[] {
  const { analysis } = interpreter;
  const text = analysis.textOf(at.node);
  // An element of a loop is another one in the next round.
  const isSimple = args.every(
    (value) => value.kind === 'literal' || (value.kind === 'place' && value.place.path?.includes('[]') === false),
  );
  if (!isSimple || !analysis.repeatedCalls.has(text) || changesOthers(callee.node))
    return callFunction(interpreter, callee, args, at);
  const keys = args.map((value) => (value.kind === 'place' ? value.place.key : JSON.stringify(value)));
  const cell = `answer ${text} ${keys.join()}`;
  const known = at.state.cells.get(cell);
  if (known !== undefined) {
    const second = at.state.cells.get(`${cell} 2`);
    return [{ state: at.state, value: known, ...(second === undefined ? {} : { rest: [second] }) }];
  }
  return callFunction(interpreter, callee, args, at).map((outcome) => {
    const [second] = outcome.rest ?? [];
    const state = outcome.state.withCell(cell, outcome.value);
    return { ...outcome, state: second === undefined ? state : state.withCell(`${cell} 2`, second) };
  });
}

/** Whether a function assigns to anything but its own locals. */
function changesOthers(node: Node): boolean {
  const locals = new Set<string>();
  let changes = false;
  walk(node, (inner) => {
    if (inner.type === 'LocalStatement') for (const variable of inner.variables) locals.add(variable.name);
    if (inner.type === 'AssignmentStatement')
      changes ||= inner.variables.some((variable) => variable.type !== 'Identifier' || !locals.has(variable.name));
    if (inner.type === 'TableConstructorExpression') changes = true;
  });
  return changes;
}

function callFunction(
  interpreter: Interpreter,
  callee: Value & { kind: 'function' },
  args: readonly Value[],
  at: { state: State; node: Node; scope: Scope },
): Outcome[] {
  const { analysis } = interpreter;
  const calls = `${at.scope.calls}/${analysis.idOf(at.node)}`;
  const scope: Scope = { parent: callee.scope, names: new Map(), calls };
  let { state } = at;
  callee.node.parameters.forEach((parameter, index) => {
    if (parameter.type !== 'Identifier') return;
    const cell = `${analysis.idOf(parameter)}@${calls}`;
    scope.names.set(parameter.name, cell);
    state = state.withCell(cell, args[index] ?? { kind: 'nil', why: `the call gives no \`${parameter.name}\`` });
  });
  const flow = interpreter.run(callee.node.body, [state], scope);
  const cells = [...scope.names.values()];
  const name = callee.node.identifier === null ? 'the function' : `\`${analysis.textOf(callee.node.identifier)}\``;
  return mergeOutcomes(
    [
      ...flow.returns.map((returned) => ({
        state: returned.state.withoutCells(cells),
        value: returned.values[0] ?? NIL,
        ...(returned.values.length > 1 ? { rest: returned.values.slice(1) } : {}),
      })),
      ...flow.next.map(
        (after): Outcome => ({
          state: after.withoutCells(cells),
          value: { kind: 'nil', why: `${name} can end without a return` },
        }),
      ),
    ],
    interpreter,
  );
}

/** Outcomes with the same value and variables become one. */
function mergeOutcomes(outcomes: readonly Outcome[], { analysis }: Interpreter): Outcome[] {
  if (outcomes.length < 2) return [...outcomes];
  const groups = new Map<string, { outcome: Outcome; states: State[] }>();
  for (const outcome of outcomes) {
    const key =
      outcome.state.withCell('result', outcome.value).valuation +
      (outcome.rest === undefined ? '' : `+${String(outcome.rest.length)}`);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { outcome, states: [outcome.state] });
    else group.states.push(outcome.state);
  }
  return [...groups.values()].flatMap(({ outcome, states }) =>
    analysis.merge(states).map((state) => ({ ...outcome, state })),
  );
}
