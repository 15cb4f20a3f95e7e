import type { AssignmentStatement, FunctionDeclaration, IfStatement, LocalStatement } from 'luaparse';
import type { Flow, Interpreter } from './analysis.js';
import { evaluateList } from './calls.js';
import { storedValue } from './expressions.js';
import { globalCell } from './globals.js';
import { runLoop } from './loops.js';
import { requireValue } from './nil-use.js';
import type { Expression, Statement } from './parse-script.js';
import { fixedName, overlayKey } from './read-field.js';
import type { State } from './state.js';
import { decide } from './truth.js';
import { EMPTY_TABLE, type Scope, type Value } from './value.js';

const NOWHERE: Flow = { next: [], breaks: [], returns: [], jumps: [] };

function onward(next: readonly State[]): Flow {
  return { ...NOWHERE, next };
}

/** Runs a block: every way out of it, for every path into it. */
export function runBlock(
  interpreter: Interpreter,
  block: readonly Statement[],
  states: readonly State[],
  outer: Scope,
): Flow {
  const scope: Scope = { parent: outer, names: new Map(), calls: outer.calls };
  const flow = runFrom(interpreter, block, 0, states, scope, 0);
  return hasClosure(block) ? flow : dropLocals(flow, scope);
}

function hasClosure(block: readonly Statement[]): boolean {
  return block.some((statement) => statement.type === 'FunctionDeclaration');
}

function dropLocals(flow: Flow, scope: Scope): Flow {
  const cells = [...scope.names.values()];
  if (cells.length === 0) return flow;
  const drop = (state: State): State => state.withoutCells(cells);
  return {
    ...flow,
    next: flow.next.map(drop),
    breaks: flow.breaks.map(drop),
    jumps: flow.jumps.map(({ label, state }) => ({ label, state: drop(state) })),
  };
}

/** Jumps back that are followed before a loop made of `goto` counts as seen. */
const MAX_JUMPS = 4;

function runFrom(
  interpreter: Interpreter,
  block: readonly Statement[],
  from: number,
  entering: readonly State[],
  scope: Scope,
  jumped: number,
): Flow {
  const { analysis } = interpreter;
  if (entering.length > 0) analysis.entered.add(block);
  let states = analysis.merge(entering);
  const total: { -readonly [Name in keyof Flow]: Flow[Name][number][] } = {
    next: [],
    breaks: [],
    returns: [],
    jumps: [],
  };
  for (let index = from; index < block.length && states.length > 0; index++) {
    const statement = block[index];
    if (statement === undefined) break;
    analysis.executed.add(statement);
    const flows = states.map((state) => runStatement(interpreter, statement, state, scope));
    states = analysis.merge(flows.flatMap((flow) => flow.next));
    for (const flow of flows) {
      total.breaks.push(...flow.breaks);
      total.returns.push(...flow.returns);
      total.jumps.push(...flow.jumps);
    }
  }
  const flow: Flow = { ...total, next: states };
  return jumped > MAX_JUMPS ? flow : land(interpreter, block, flow, scope, jumped);
}

/** Continues at labels of this block that something inside it jumped to. */
function land(interpreter: Interpreter, block: readonly Statement[], flow: Flow, scope: Scope, jumped: number): Flow {
  const labels = new Map(
    block.flatMap((statement, index) =>
      statement.type === 'LabelStatement' ? [[statement.label.name, index] as const] : [],
    ),
  );
  let result: Flow = { ...flow, jumps: flow.jumps.filter(({ label }) => !labels.has(label)) };
  for (const [label, index] of labels) {
    const arriving = flow.jumps.filter((jump) => jump.label === label).map(({ state }) => state);
    if (arriving.length === 0) continue;
    result = join(result, runFrom(interpreter, block, index, arriving, scope, jumped + 1));
  }
  return { ...result, next: interpreter.analysis.merge(result.next) };
}

function join(a: Flow, b: Flow): Flow {
  return {
    next: [...a.next, ...b.next],
    breaks: [...a.breaks, ...b.breaks],
    returns: [...a.returns, ...b.returns],
    jumps: [...a.jumps, ...b.jumps],
  };
}

function runStatement(interpreter: Interpreter, node: Statement, state: State, scope: Scope): Flow {
  if (!interpreter.analysis.step()) return onward([state]);
  switch (node.type) {
    case 'LabelStatement':
      return onward([state]);
    case 'BreakStatement':
      return { ...NOWHERE, breaks: [state] };
    case 'GotoStatement':
      return { ...NOWHERE, jumps: [{ label: node.label.name, state }] };
    case 'ReturnStatement': {
      const lists = evaluateList(interpreter, node.arguments, state, scope);
      return { ...NOWHERE, returns: lists.map((list) => ({ ...list, node })) };
    }
    case 'DoStatement':
      return interpreter.run(node.body, [state], scope);
    case 'IfStatement':
      return runIf(interpreter, node, state, scope);
    case 'LocalStatement':
      return onward(declare(interpreter, node, state, scope));
    case 'AssignmentStatement':
      return onward(assign(interpreter, node, state, scope));
    case 'CallStatement':
      return onward(interpreter.evaluate(node.expression, state, scope).map((outcome) => outcome.state));
    case 'FunctionDeclaration':
      return onward(declareFunction(interpreter, node, state, scope));
    case 'WhileStatement':
    case 'RepeatStatement':
    case 'ForNumericStatement':
    case 'ForGenericStatement':
      return runLoop(interpreter, node, state, scope);
    default:
      return node satisfies never;
  }
}

function runIf(interpreter: Interpreter, node: IfStatement, state: State, scope: Scope): Flow {
  const { analysis } = interpreter;
  let flow = NOWHERE;
  let waiting: State[] = [state];
  for (const clause of node.clauses) {
    if (waiting.length === 0) break;
    if (clause.type === 'ElseClause') {
      flow = join(flow, interpreter.run(clause.body, waiting, scope));
      waiting = [];
      break;
    }
    const decisions = waiting
      .flatMap((before) => interpreter.evaluate(clause.condition, before, scope))
      .flatMap((outcome) => decide(outcome, analysis));
    const taken = decisions.filter(({ truth }) => truth).map((decision) => decision.state);
    analysis.evaluated.add(clause);
    if (taken.length > 0) analysis.held.add(clause);
    flow = join(flow, interpreter.run(clause.body, taken, scope));
    waiting = analysis.merge(decisions.filter(({ truth }) => !truth).map((decision) => decision.state));
  }
  return join(flow, onward(waiting));
}

function declare(interpreter: Interpreter, node: LocalStatement, state: State, scope: Scope): State[] {
  const lists = evaluateList(interpreter, node.init, state, scope);
  const cells = node.variables.map((variable) => ({
    name: variable.name,
    cell: `${interpreter.analysis.idOf(variable)}@${scope.calls}`,
  }));
  for (const { name, cell } of cells) scope.names.set(name, cell);
  return lists.map(({ state: after, values }) =>
    cells.reduce((next, { name, cell }, index) => next.withCell(cell, values[index] ?? missingValue(name)), after),
  );
}

function missingValue(name: string): Value {
  return { kind: 'nil', why: `nothing is assigned to \`${name}\` on this path` };
}

function assign(interpreter: Interpreter, node: AssignmentStatement, state: State, scope: Scope): State[] {
  let states = evaluateList(interpreter, node.init, state, scope);
  node.variables.forEach((variable, index) => {
    states = states.flatMap(({ state: before, values }) => {
      const value = values[index] ?? missingValue(interpreter.analysis.textOf(variable));
      return store(interpreter, variable, value, before, scope).map((after) => ({ state: after, values }));
    });
  });
  return states.map((list) => list.state);
}

function store(
  interpreter: Interpreter,
  target: AssignmentStatement['variables'][number],
  value: Value,
  state: State,
  scope: Scope,
): State[] {
  if (target.type === 'Identifier') return [storeVariable(interpreter, target, value, state, scope)];
  const { analysis } = interpreter;
  return interpreter.evaluate(target.base, state, scope).flatMap((base) => {
    const names =
      target.type === 'MemberExpression'
        ? [{ state: base.state, name: target.identifier.name as string | undefined }]
        : interpreter
            .evaluate(target.index, base.state, scope)
            .map((index) => ({ state: index.state, name: fixedName(index.value, index.state) }));
    return names.flatMap(({ state: before, name }) => {
      const there = requireValue(
        base.value,
        { kind: 'write', field: name ?? '?' },
        { state: before, node: target.base, analysis },
      );
      return there === undefined ? [] : [storeField(interpreter, base.value, name, value, { state: there, target })];
    });
  });
}

function storeVariable(
  { analysis }: Interpreter,
  target: Expression & { type: 'Identifier' },
  value: Value,
  state: State,
  scope: Scope,
): State {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const cell = at.names.get(target.name);
    if (cell !== undefined) return state.withCell(cell, value);
  }
  if (target.name === 'obj') {
    analysis.report('assigns-object', target, {
      severity: 'warning',
      message: 'The script replaces `obj`, the object under test, so what follows no longer judges the real one.',
      hint: 'keep the verdict in a variable of its own: `local hs = {}`',
    });
  }
  return state.withCell(globalCell(target.name), value);
}

function storeField(
  interpreter: Interpreter,
  base: Value,
  name: string | undefined,
  value: Value,
  at: { state: State; target: Expression },
): State {
  const { state, target } = at;
  if (base.kind === 'table') {
    const table = state.tables.get(base.id) ?? EMPTY_TABLE;
    if (name === undefined)
      return state.withTable(base.id, { ...table, isOpen: true }).withFact(`#${base.id}`, { differs: new Set([0]) });
    return state.withTable(base.id, {
      ...table,
      fields: new Map(table.fields).set(name, storedValue(interpreter, name, value)),
    });
  }
  if (base.kind !== 'place' || name === undefined) return state;
  const key = `${base.place.key}.${name}`;
  const isDefault = value.kind === 'table';
  if (base.place.path !== undefined && !isDefault) reportWrite(interpreter, target);
  return state.withoutFacts(key).withCell(overlayKey({ ...base.place, key }), value);
}

function reportWrite({ analysis }: Interpreter, target: Expression): void {
  const field = target.type === 'MemberExpression' ? target.identifier.name : 'status';
  analysis.report('assigns-object', target, {
    severity: 'warning',
    message:
      `\`${analysis.textOf(target)}\` is written into the object under test, which is thrown away, so Argo CD ` +
      'never sees it.',
    hint: `write it into the verdict that the script returns: \`hs.${field} = ...\``,
  });
}

function declareFunction({ analysis }: Interpreter, node: FunctionDeclaration, state: State, scope: Scope): State[] {
  const value: Value = { kind: 'function', node, scope };
  const { identifier } = node;
  if (identifier?.type !== 'Identifier') return [state];
  if (!node.isLocal) {
    for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
      const cell = at.names.get(identifier.name);
      if (cell !== undefined) return [state.withCell(cell, value)];
    }
    return [state.withCell(globalCell(identifier.name), value)];
  }
  const cell = `${analysis.idOf(identifier)}@${scope.calls}`;
  scope.names.set(identifier.name, cell);
  return [state.withCell(cell, value)];
}
