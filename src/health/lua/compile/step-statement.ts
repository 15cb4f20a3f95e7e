import { placeOf, type Place } from './assign.js';
import { BREAK, GOTO, NORMAL, RETURN, TAIL_CALL, type Execute } from './types.js';
import { declareVariable } from './variable.js';
import type { Frame } from '../frame.js';
import { setIndex } from '../operations.js';
import type { LuaRun } from '../run.js';
import { callSteps, ExpressionStepper, type Steps } from './step-expression.js';
import { isMulti, type Block, type LabelNode, type Statement, type StatementOf } from '../syntax/tree.js';
import { isTrue, LuaFunction, NOTHING, type LuaValue } from '../value.js';

/** Statements inside a coroutine; see ExpressionStepper. */
export class Stepper extends ExpressionStepper {
  private readonly executes = new Map<Statement, Execute>();

  *block(run: LuaRun, frame: Frame, { statements, labels }: Block): Steps<number> {
    for (let i = 0; i < statements.length; i++) {
      const statement = statements[i];
      if (statement === undefined) break;
      const signal = yield* this.statement(run, frame, statement);
      if (signal === NORMAL) continue;
      const target = signal === GOTO ? labels?.get(frame.label as LabelNode) : undefined;
      if (target === undefined) return signal;
      i = target;
    }
    return NORMAL;
  }

  private *statement(run: LuaRun, frame: Frame, node: Statement): Steps<number> {
    run.chargeSteps(4);
    switch (node.kind) {
      case 'localAssign':
        return yield* this.localAssign(run, frame, node);
      case 'assign':
        return yield* this.assign(run, frame, node);
      case 'call':
        yield* this.call(run, frame, node.call);
        return NORMAL;
      case 'do':
        return yield* this.block(run, frame, node.body);
      case 'while':
        return yield* this.whileLoop(run, frame, node);
      case 'repeat':
        return yield* this.repeat(run, frame, node);
      case 'if':
        return yield* this.ifElse(run, frame, node);
      case 'numericFor':
        return yield* this.numericFor(run, frame, node);
      case 'genericFor':
        return yield* this.genericFor(run, frame, node);
      case 'return':
        return yield* this.returnValues(run, frame, node);
      default:
        return this.plainStatement(node)(run, frame);
    }
  }

  private plainStatement(node: Statement): Execute {
    let execute = this.executes.get(node);
    if (execute === undefined) {
      execute = this.compiler.statement(node);
      this.executes.set(node, execute);
    }
    return execute;
  }

  private *localAssign(run: LuaRun, frame: Frame, node: StatementOf<'localAssign'>): Steps<number> {
    if (!node.values.some((value) => this.suspends(value))) return this.plainStatement(node)(run, frame);
    const values = yield* this.list(run, frame, node.values);
    node.variables.forEach((variable, i) => declareVariable(this.compiler, variable)(run, frame, values[i]));
    return NORMAL;
  }

  private *assign(run: LuaRun, frame: Frame, node: StatementOf<'assign'>): Steps<number> {
    const { targets, values } = node;
    const isPlain = !values.some((value) => this.suspends(value)) && !targets.some((target) => this.suspends(target));
    if (isPlain) return this.plainStatement(node)(run, frame);
    const last = values[values.length - 1];
    const isSpread = last !== undefined && isMulti(last) && values.length <= targets.length;
    const fixed = isSpread ? values.length - 1 : targets.length;
    const places = targets.map((target, i) => placeOf(this.compiler, target, values[i], i < fixed));
    const objects: LuaValue[] = [];
    const keys: LuaValue[] = [];
    for (const target of targets) {
      objects.push(target.kind === 'index' ? yield* this.expression(run, frame, target.object) : undefined);
      keys.push(target.kind === 'index' ? yield* this.expression(run, frame, target.key) : undefined);
    }
    const results: LuaValue[] = [];
    for (let i = 0; i < fixed || i < values.length; i++) {
      const value = values[i];
      if (isSpread && i >= fixed) break;
      // The oddity of gopher-lua in compile-logic.ts is not repeated here.
      const result = value === undefined ? undefined : yield* this.expression(run, frame, value);
      results.push(result);
      places[i]?.early?.(run, frame, result);
    }
    if (isSpread) results.push(...(yield* this.list(run, frame, [last])));
    for (let i = places.length - 1; i >= 0; i--) storeStep(run, frame, places[i], objects[i], keys[i], results[i]);
    return NORMAL;
  }

  private *whileLoop(run: LuaRun, frame: Frame, { condition, body }: StatementOf<'while'>): Steps<number> {
    while (isTrue(yield* this.expression(run, frame, condition))) {
      const signal = yield* this.block(run, frame, body);
      if (signal !== NORMAL) return signal === BREAK ? NORMAL : signal;
    }
    return NORMAL;
  }

  private *repeat(run: LuaRun, frame: Frame, { condition, body }: StatementOf<'repeat'>): Steps<number> {
    do {
      const signal = yield* this.block(run, frame, body);
      if (signal !== NORMAL) return signal === BREAK ? NORMAL : signal;
    } while (!isTrue(yield* this.expression(run, frame, condition)));
    return NORMAL;
  }

  private *ifElse(run: LuaRun, frame: Frame, { clauses, otherwise }: StatementOf<'if'>): Steps<number> {
    for (const { condition, body } of clauses) {
      if (isTrue(yield* this.expression(run, frame, condition))) return yield* this.block(run, frame, body);
    }
    return otherwise === undefined ? NORMAL : yield* this.block(run, frame, otherwise);
  }

  private *numericFor(run: LuaRun, frame: Frame, node: StatementOf<'numericFor'>): Steps<number> {
    const from = yield* this.expression(run, frame, node.start);
    const to = yield* this.expression(run, frame, node.limit);
    const by = node.step === undefined ? 1 : yield* this.expression(run, frame, node.step);
    frame.site = { line: node.line, name: '?' };
    if (typeof from !== 'number') return run.fail('for statement init must be a number');
    if (typeof by !== 'number') return run.fail('for statement step must be a number');
    if (typeof to !== 'number') return run.fail('for statement limit must be a number');
    const declare = declareVariable(this.compiler, node.variable);
    for (let i = from - by + by; by > 0 ? i <= to : i >= to; i += by) {
      run.chargeSteps(4);
      declare(run, frame, i);
      const signal = yield* this.block(run, frame, node.body);
      if (signal !== NORMAL) return signal === BREAK ? NORMAL : signal;
    }
    return NORMAL;
  }

  private *genericFor(run: LuaRun, frame: Frame, node: StatementOf<'genericFor'>): Steps<number> {
    const [iterator, state, start] = yield* this.list(run, frame, node.values);
    const declare = node.variables.map((variable) => declareVariable(this.compiler, variable));
    const site = { line: node.line, name: '?' };
    for (let control = start; ; ) {
      run.chargeSteps(4);
      frame.site = site;
      const results = yield* callSteps(run, iterator, [state, control]);
      control = results[0];
      if (control === undefined) return NORMAL;
      declare.forEach((assign, i) => assign(run, frame, results[i]));
      const signal = yield* this.block(run, frame, node.body);
      if (signal !== NORMAL) return signal === BREAK ? NORMAL : signal;
    }
  }

  private *returnValues(run: LuaRun, frame: Frame, { values }: StatementOf<'return'>): Steps<number> {
    const [only] = values;
    if (only === undefined) frame.result = NOTHING;
    else if (values.length === 1 && (only.kind === 'call' || only.kind === 'method') && !only.single) {
      const [callee, args] = yield* this.callee(run, frame, only);
      if (callee instanceof LuaFunction && callee.body !== undefined) {
        frame.next = callee;
        frame.result = args;
        return TAIL_CALL;
      }
      frame.result = yield* callSteps(run, callee, args);
    } else frame.result = yield* this.list(run, frame, values);
    return RETURN;
  }
}

function storeStep(
  run: LuaRun,
  frame: Frame,
  place: Place | undefined,
  object: LuaValue,
  key: LuaValue,
  value: LuaValue,
): void {
  if (place?.object === undefined) {
    place?.assign?.(run, frame, value);
    return;
  }
  frame.site = place.site;
  setIndex(run, place.isLate ? place.object(run, frame) : object, key, value);
}
