import type { Frame } from './frame.js';
import { LuaError } from './lua-error.js';
import {
  NOTHING,
  type CoroutineStatus,
  type HostFunction,
  type LuaCoroutine,
  type LuaFunction,
  type LuaValues,
  type Run,
} from './value.js';

/** The part of a run that a coroutine swaps when it takes over and gives back. */
export interface CoroutineHost extends Run {
  frame: Frame | undefined;
  depth: number;
  running: LuaCoroutine | undefined;
  readonly maxDepth: number;
}

/**
 * coroutine.yield. Code inside a coroutine recognises it and suspends; it is only really called where nothing can be
 * suspended: in the main script, or below pcall, a metamethod or a callback (there gopher-lua crashes).
 */
export const yieldHost: HostFunction = (run) =>
  run.fail(
    run.running === undefined
      ? 'can not yield from outside of a coroutine'
      : 'can not yield across pcall, a metamethod or a library function',
  );

export function coroutineStatus(run: Run, coroutine: LuaCoroutine): CoroutineStatus {
  if (coroutine.dead) return 'dead';
  if (run.running === coroutine) return 'running';
  return run.running?.parent === coroutine ? 'normal' : 'suspended';
}

export function resumeCoroutine(run: CoroutineHost, coroutine: LuaCoroutine, args: LuaValues): LuaValues {
  const refusal = refuse(run, coroutine);
  if (refusal !== undefined) return coroutine.wrapped ? run.fail(refusal) : [false, refusal];
  if (run.depth + 2 > run.maxDepth) run.fail('stack overflow');
  // Going back in costs as much as the coroutine is deep.
  run.chargeSteps(20 + 10 * coroutine.depth);
  const { frame, depth, running } = run;
  coroutine.parent = running;
  coroutine.active = true;
  run.running = coroutine;
  run.frame = coroutine.frame as Frame | undefined;
  run.depth = depth + 2 + coroutine.depth;
  try {
    const values = step(run, coroutine, args);
    coroutine.frame = run.frame;
    coroutine.depth = run.depth - depth - 2;
    return coroutine.wrapped ? values : [true, ...values];
  } catch (error) {
    coroutine.dead = true;
    if (!(error instanceof LuaError) || error.kind === 'budget' || coroutine.wrapped) throw error;
    return [false, error.value];
  } finally {
    coroutine.active = false;
    coroutine.parent = undefined;
    run.frame = frame;
    run.depth = depth;
    run.running = running;
  }
}

function refuse(run: Run, coroutine: LuaCoroutine): string | undefined {
  if (coroutine.dead) return 'can not resume a dead thread';
  // gopher-lua resumes a coroutine that waits for another one a second time, and never ends.
  return run.running === coroutine || coroutine.active ? 'can not resume a running thread' : undefined;
}

function step(run: Run, coroutine: LuaCoroutine, args: LuaValues): LuaValues {
  coroutine.steps ??= start(run, coroutine.fn, args);
  const { done, value } = coroutine.steps.next(args);
  if (done === true) coroutine.dead = true;
  return value;
}

function start(run: Run, fn: LuaFunction, args: LuaValues): Generator<LuaValues, LuaValues, LuaValues> {
  return fn.body === undefined ? runHost(run, fn, args) : fn.body.steps(run, fn, args);
}

function* runHost(run: Run, fn: LuaFunction, args: LuaValues): Generator<LuaValues, LuaValues, LuaValues> {
  if (fn.host === yieldHost) return yield args;
  return fn.host?.(run, args) ?? NOTHING;
}
