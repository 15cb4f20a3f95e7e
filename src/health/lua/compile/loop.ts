import { BREAK, NORMAL, type Compiler, type Execute } from './types.js';
import { declareVariable } from './variable.js';
import type { StatementOf } from '../syntax/tree.js';
import type { LuaValue } from '../value.js';

/**
 * Loops pay for every turn what their body has nodes. `break` and `return` end them, and so does a goto that leaves.
 */

export function compileWhile(compiler: Compiler, { condition, body, line }: StatementOf<'while'>): Execute {
  const before = compiler.nodes;
  const test = compiler.test(condition);
  const block = compiler.block(body);
  const cost = compiler.nodes - before + 1;
  const site = { line, name: '?' };
  return (run, frame) => {
    while (test(run, frame)) {
      if ((run.steps -= cost) < 0) run.tickAt(frame, site);
      const signal = block(run, frame);
      if (signal === NORMAL) continue;
      return signal === BREAK ? NORMAL : signal;
    }
    return NORMAL;
  };
}

export function compileRepeat(compiler: Compiler, { condition, body, line }: StatementOf<'repeat'>): Execute {
  const before = compiler.nodes;
  const block = compiler.block(body);
  const test = compiler.test(condition);
  const cost = compiler.nodes - before + 1;
  const site = { line, name: '?' };
  return (run, frame) => {
    do {
      if ((run.steps -= cost) < 0) run.tickAt(frame, site);
      const signal = block(run, frame);
      if (signal === NORMAL) continue;
      return signal === BREAK ? NORMAL : signal;
    } while (!test(run, frame));
    return NORMAL;
  };
}

export function compileNumericFor(compiler: Compiler, node: StatementOf<'numericFor'>): Execute {
  const start = compiler.expression(node.start);
  const limit = compiler.expression(node.limit);
  const step = node.step === undefined ? undefined : compiler.expression(node.step);
  const declare = declareVariable(compiler, node.variable);
  const before = compiler.nodes;
  const block = compiler.block(node.body);
  const cost = compiler.nodes - before + 1;
  const site = { line: node.line, name: '?' };
  return (run, frame) => {
    const from = start(run, frame);
    const to = limit(run, frame);
    const by: LuaValue = step === undefined ? 1 : step(run, frame);
    frame.site = site;
    if (typeof from !== 'number') return run.fail('for statement init must be a number');
    if (typeof by !== 'number') return run.fail('for statement step must be a number');
    if (typeof to !== 'number') return run.fail('for statement limit must be a number');
    // gopher-lua steps back once before it begins, which shows with large and with fractional steps.
    for (let i = from - by + by; by > 0 ? i <= to : i >= to; i += by) {
      if ((run.steps -= cost) < 0) run.tickAt(frame, site);
      declare(run, frame, i);
      const signal = block(run, frame);
      if (signal === NORMAL) continue;
      return signal === BREAK ? NORMAL : signal;
    }
    return NORMAL;
  };
}
