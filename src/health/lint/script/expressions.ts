import type {
  BinaryExpression,
  Identifier,
  IndexExpression,
  LogicalExpression,
  MemberExpression,
  TableConstructorExpression,
  UnaryExpression,
} from 'luaparse';
import type { Interpreter, Outcome } from './analysis.js';
import { evaluateCall } from './calls.js';
import { checkComparison } from './dead-value.js';
import { readGlobal } from './globals.js';
import { requireValue, type Use } from './nil-use.js';
import type { Expression, Node } from './parse-script.js';
import { elementPlace, fixedName, readField } from './read-field.js';
import type { State } from './state.js';
import { lengthOf } from './tables.js';
import { asOutcomes, decide, equality, ordering } from './truth.js';
import { literal, present, TEXT, unknown, type Scope, type Table, type Value } from './value.js';

/** Every way an expression can come out. */
export function evaluateExpression(interpreter: Interpreter, node: Expression, state: State, scope: Scope): Outcome[] {
  const { analysis } = interpreter;
  if (!analysis.step()) return [{ state, value: unknown('stopped', '') }];
  switch (node.type) {
    case 'NilLiteral':
      return [{ state, value: { kind: 'nil', why: 'it is written as nil' } }];
    case 'BooleanLiteral':
    case 'NumericLiteral':
    case 'StringLiteral':
      return [{ state, value: literal(node.value, node) }];
    case 'VarargLiteral':
      return [{ state, value: unknown(`...@${scope.calls}`, '...') }];
    case 'Identifier':
      return [{ state, value: readVariable(interpreter, node, state, scope) }];
    case 'FunctionDeclaration':
      return [{ state, value: { kind: 'function', node, scope } }];
    case 'TableConstructorExpression':
      return makeTable(interpreter, node, state, scope);
    case 'MemberExpression':
      return readMember(interpreter, node, state, scope);
    case 'IndexExpression':
      return readIndex(interpreter, node, state, scope);
    case 'LogicalExpression':
      return logical(interpreter, node, state, scope);
    case 'UnaryExpression':
      return unary(interpreter, node, state, scope);
    case 'BinaryExpression':
      return binary(interpreter, node, state, scope);
    case 'CallExpression':
    case 'StringCallExpression':
    case 'TableCallExpression':
      return evaluateCall(interpreter, node, state, scope);
    default:
      return node satisfies never;
  }
}

function readVariable({ analysis }: Interpreter, node: Identifier, state: State, scope: Scope): Value {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const cell = at.names.get(node.name);
    // A cell that is gone belonged to a block that a closure outlived.
    if (cell !== undefined) return state.cells.get(cell) ?? unknown(cell, node.name);
  }
  return readGlobal(analysis, node, state);
}

function readMember(interpreter: Interpreter, node: MemberExpression, state: State, scope: Scope): Outcome[] {
  const { analysis } = interpreter;
  const field = node.identifier.name;
  return interpreter.evaluate(node.base, state, scope).flatMap((base) => {
    const there = requireValue(
      base.value,
      { kind: 'index', field, whole: node },
      { state: base.state, node: node.base, analysis },
    );
    return there === undefined ? [] : [readField(base.value, field, { state: there, node, analysis })];
  });
}

function readIndex(interpreter: Interpreter, node: IndexExpression, state: State, scope: Scope): Outcome[] {
  const { analysis } = interpreter;
  return evaluateBoth(interpreter, node.base, node.index, state, scope).flatMap(({ state: after, left, right }) => {
    const name = fixedName(right, after);
    const field = name ?? analysis.textOf(node.index);
    const there = requireValue(
      left,
      { kind: 'index', field, whole: node },
      { state: after, node: node.base, analysis },
    );
    if (there === undefined) return [];
    if (name !== undefined) return [readField(left, name, { state: there, node, analysis })];
    const text = analysis.textOf(node);
    const key = `${analysis.idOf(node)}@${scope.calls}`;
    const value: Value =
      left.kind === 'place'
        ? { kind: 'place', place: elementPlace(left.place, `?${key}`, text, 'unknown') }
        : unknown(key, text);
    return [{ state: value.kind === 'place' ? there.withoutFacts(value.place.key) : there, value }];
  });
}

function makeTable(interpreter: Interpreter, node: TableConstructorExpression, state: State, scope: Scope): Outcome[] {
  const id = `t${interpreter.analysis.idOf(node)}@${scope.calls}`;
  let built: { state: State; table: Table; count: number }[] = [
    { state, table: { fields: new Map(), isOpen: false }, count: 0 },
  ];
  for (const field of node.fields) {
    built = built.flatMap(({ state: before, table, count }) =>
      interpreter.evaluate(field.value, before, scope).map((outcome) => {
        const fieldName = fieldNameOf(field);
        const isNamed = fieldName !== undefined;
        const name = fieldName ?? String(count + 1);
        const isOpen = table.isOpen || (field.type === 'TableKey' && !isNamed) || outcome.rest !== undefined;
        const stored = storedValue(interpreter, name, outcome.value);
        return {
          state: outcome.state,
          table: { fields: new Map(table.fields).set(name, stored), isOpen },
          count: isNamed ? count : count + 1,
        };
      }),
    );
  }
  return built.map(({ state: after, table }) => ({ state: after.withTable(id, table), value: { kind: 'table', id } }));
}

/** The name in `name = value` and `["name"] = value`; undefined for a position or a computed key. */
function fieldNameOf(field: TableConstructorExpression['fields'][number]): string | undefined {
  if (field.type === 'TableKeyString') return field.key.name;
  return field.type === 'TableKey' && field.key.type === 'StringLiteral' ? field.key.value : undefined;
}

/** Messages differ on every path but decide nothing; forgetting their text keeps the paths few. */
export function storedValue({ analysis }: Interpreter, name: string, value: Value): Value {
  const isMessage =
    value.kind === 'literal' &&
    typeof value.value === 'string' &&
    name !== 'status' &&
    !analysis.comparedText.has(value.value);
  return isMessage ? TEXT : value;
}

function logical(interpreter: Interpreter, node: LogicalExpression, state: State, scope: Scope): Outcome[] {
  const goesOn = node.operator === 'and';
  return interpreter.evaluate(node.left, state, scope).flatMap((left) =>
    decide(left, interpreter.analysis).flatMap(({ state: after, truth }): Outcome[] => {
      if (truth === goesOn) return interpreter.evaluate(node.right, after, scope);
      const isKnownNil = left.value.kind === 'place' && after.facts.get(left.value.place.key)?.nil === true;
      return [
        {
          state: after,
          value: isKnownNil ? { kind: 'nil', why: `\`${interpreter.analysis.textOf(node.left)}\` is nil` } : left.value,
        },
      ];
    }),
  );
}

function unary(interpreter: Interpreter, node: UnaryExpression, state: State, scope: Scope): Outcome[] {
  const { analysis } = interpreter;
  return interpreter.evaluate(node.argument, state, scope).flatMap((outcome) => {
    if (node.operator === 'not')
      return asOutcomes(decide(outcome, analysis).map(({ state: after, truth }) => ({ state: after, truth: !truth })));
    const use: Use = node.operator === '#' ? { kind: 'length' } : { kind: 'arithmetic', operator: node.operator };
    const there = requireValue(outcome.value, use, { state: outcome.state, node: node.argument, analysis });
    if (there === undefined) return [];
    if (node.operator !== '#' && outcome.value.kind === 'literal' && typeof outcome.value.value === 'number')
      return [{ state: there, value: literal(-outcome.value.value) }];
    return [
      {
        state: there,
        value:
          node.operator === '#' ? lengthOf(outcome.value, there) : present(`${analysis.idOf(node)}@${scope.calls}`, ''),
      },
    ];
  });
}

function binary(interpreter: Interpreter, node: BinaryExpression, state: State, scope: Scope): Outcome[] {
  return evaluateBoth(interpreter, node.left, node.right, state, scope).flatMap((sides) =>
    combine(interpreter, node, sides, scope),
  );
}

interface Sides {
  readonly state: State;
  readonly left: Value;
  readonly right: Value;
}

function evaluateBoth(interpreter: Interpreter, left: Node, right: Node, state: State, scope: Scope): Sides[] {
  return interpreter
    .evaluate(left, state, scope)
    .flatMap((first) =>
      interpreter
        .evaluate(right, first.state, scope)
        .map((second) => ({ state: second.state, left: first.value, right: second.value })),
    );
}

function combine(
  { analysis }: Interpreter,
  node: BinaryExpression,
  { state, left, right }: Sides,
  scope: Scope,
): Outcome[] {
  const { operator } = node;
  if (operator === '==' || operator === '~=') {
    for (const [side, other] of [
      [left, right],
      [right, left],
    ] as const) {
      if (side.kind === 'place' && other.kind === 'literal') checkComparison(side.place, other.value, node, analysis);
    }
    const decisions = equality(left, right, state, analysis);
    return asOutcomes(
      operator === '==' ? decisions : decisions.map(({ state: after, truth }) => ({ state: after, truth: !truth })),
    );
  }
  const isOrder = operator === '<' || operator === '<=' || operator === '>' || operator === '>=';
  const use = useOf(operator, isOrder);
  const first = requireValue(left, use, { state, node: node.left, analysis });
  const both = first === undefined ? undefined : requireValue(right, use, { state: first, node: node.right, analysis });
  if (both === undefined) return [];
  if (operator === '..') return [{ state: both, value: TEXT }];
  if (isOrder) return asOutcomes(ordering(operator, left, right, both));
  const key = `${analysis.idOf(node)}@${scope.calls}`;
  const isPositive =
    operator === '+' &&
    [left, right].every((side) => isNatural(side, both)) &&
    [left, right].some((side) => side.kind === 'literal' && side.value !== 0);
  const after = both.withoutFacts(key);
  return [
    {
      state: isPositive
        ? after.withFact(key, { nil: false, differs: new Set([0]), tests: new Map([['>0', true]]) })
        : after,
      value: present(key, ''),
    },
  ];
}

function useOf(operator: string, isOrder: boolean): Use {
  if (operator === '..') return { kind: 'concat' };
  return { kind: isOrder ? 'order' : 'arithmetic', operator };
}

function isNatural(value: Value, state: State): boolean {
  if (value.kind === 'literal') return typeof value.value === 'number' && value.value >= 0;
  return value.kind === 'place' && state.facts.get(value.place.key)?.tests?.get('>0') === true;
}
