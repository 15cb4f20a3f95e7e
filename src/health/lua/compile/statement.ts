import { calleeName, compileAll, compileCall, compileMethod, method } from './call.js';
import { BREAK, GOTO, NORMAL, RETURN, TAIL_CALL, type Compiler, type Execute, type Test } from './types.js';
import { compileAssign, compileLocalAssign } from './assign.js';
import { compileGenericFor } from './generic-for.js';
import { compileNumericFor, compileRepeat, compileWhile } from './loop.js';
import {
  isMulti,
  type Block,
  type CallNode,
  type LabelNode,
  type MethodNode,
  type Statement,
  type StatementOf,
} from '../syntax/tree.js';
import { LuaFunction, NOTHING } from '../value.js';

export function compileStatement(compiler: Compiler, node: Statement): Execute {
  compiler.nodes++;
  switch (node.kind) {
    case 'localAssign':
      return compileLocalAssign(compiler, node);
    case 'assign':
      return compileAssign(compiler, node);
    case 'call':
      return compileCallStatement(compiler, node.call);
    case 'do':
      return compiler.block(node.body);
    case 'while':
      return compileWhile(compiler, node);
    case 'repeat':
      return compileRepeat(compiler, node);
    case 'if':
      return compileIf(compiler, node);
    case 'numericFor':
      return compileNumericFor(compiler, node);
    case 'genericFor':
      return compileGenericFor(compiler, node);
    case 'return':
      return compileReturn(compiler, node);
    case 'break':
      return () => BREAK;
    case 'label':
      return () => NORMAL;
    case 'goto': {
      const { target, line } = node;
      const site = { line, name: '?' };
      return (run, frame) => {
        frame.site = site;
        run.chargeSteps(1);
        frame.label = target;
        return GOTO;
      };
    }
  }
}

function compileCallStatement(compiler: Compiler, node: CallNode | MethodNode): Execute {
  const call = node.kind === 'call' ? compileCall(compiler, node) : compileMethod(compiler, node);
  return (run, frame) => {
    call(run, frame);
    return NORMAL;
  };
}

function compileIf(compiler: Compiler, { clauses, otherwise }: StatementOf<'if'>): Execute {
  const last = otherwise === undefined ? undefined : compiler.block(otherwise);
  const branches = clauses.map(
    ({ condition, body }): Branch => ({ test: compiler.test(condition), then: compiler.block(body) }),
  );
  const [first, second] = branches;
  if (first === undefined || second !== undefined) return manyBranches(branches, last);
  const { test, then } = first;
  if (last === undefined) return (run, frame) => (test(run, frame) ? then(run, frame) : NORMAL);
  return (run, frame) => (test(run, frame) ? then(run, frame) : last(run, frame));
}

interface Branch {
  readonly test: Test;
  readonly then: Execute;
}

function manyBranches(branches: readonly Branch[], last: Execute | undefined): Execute {
  return (run, frame) => {
    for (const { test, then } of branches) if (test(run, frame)) return then(run, frame);
    return last === undefined ? NORMAL : last(run, frame);
  };
}

function compileReturn(compiler: Compiler, { values }: StatementOf<'return'>): Execute {
  const [only] = values;
  if (only === undefined) {
    return (_run, frame) => {
      frame.result = NOTHING;
      return RETURN;
    };
  }
  if (values.length === 1) {
    if (only.kind === 'call' && !only.single) return compileTailCall(compiler, only);
    if (only.kind === 'method' && !only.single) return compileTailMethod(compiler, only);
    if (!isMulti(only)) {
      const evaluate = compiler.expression(only);
      return (run, frame) => {
        frame.result = [evaluate(run, frame)];
        return RETURN;
      };
    }
  }
  const list = values.length === 1 ? compileAll(compiler, only) : compiler.list(values);
  return (run, frame) => {
    frame.result = list(run, frame);
    return RETURN;
  };
}

/** A function of the script is called by whoever runs this frame, in its place; one of the host is called here. */
function compileTailCall(compiler: Compiler, node: CallNode): Execute {
  const callee = compiler.expression(node.callee);
  const list = compiler.list(node.args);
  const site = { line: node.line, name: calleeName(node.callee) };
  return (run, frame) => {
    const fn = callee(run, frame);
    const args = list(run, frame);
    frame.site = site;
    if (fn instanceof LuaFunction && fn.body !== undefined) {
      frame.next = fn;
      frame.result = args;
      return TAIL_CALL;
    }
    frame.result = fn instanceof LuaFunction ? fn.call(run, args) : run.callValue(fn, args);
    return RETURN;
  };
}

function compileTailMethod(compiler: Compiler, node: MethodNode): Execute {
  const { line, name } = node;
  const object = compiler.expression(node.object);
  const list = compiler.list(node.args);
  const site = { line, name };
  return (run, frame) => {
    const self = object(run, frame);
    frame.site = site;
    const fn = method(run, self, name);
    const args = list(run, frame);
    args.unshift(self);
    frame.site = site;
    if (fn instanceof LuaFunction && fn.body !== undefined) {
      frame.next = fn;
      frame.result = args;
      return TAIL_CALL;
    }
    frame.result = fn instanceof LuaFunction ? fn.call(run, args) : run.callValue(fn, args);
    return RETURN;
  };
}

export function compileBlock(compiler: Compiler, { statements, labels }: Block): Execute {
  const list = statements.map((statement) => compiler.statement(statement));
  if (labels !== undefined) return blockWithLabels(list, labels);
  const [first, second, third] = list;
  if (first === undefined) return () => NORMAL;
  if (second === undefined) return first;
  if (third === undefined) return (run, frame) => first(run, frame) || second(run, frame);
  if (list.length === 3) return (run, frame) => first(run, frame) || second(run, frame) || third(run, frame);
  return (run, frame) => {
    for (const execute of list) {
      const signal = execute(run, frame);
      if (signal !== NORMAL) return signal;
    }
    return NORMAL;
  };
}

function blockWithLabels(list: readonly Execute[], labels: ReadonlyMap<LabelNode, number>): Execute {
  return (run, frame) => {
    for (let i = 0; i < list.length; i++) {
      const signal = list[i]?.(run, frame) ?? NORMAL;
      if (signal === NORMAL) continue;
      const target = signal === GOTO ? labels.get(frame.label as LabelNode) : undefined;
      if (target === undefined) return signal;
      run.chargeSteps(list.length);
      i = target;
    }
    return NORMAL;
  };
}
