import { plainText } from '../value/go-print.js';
import { sortedKeys } from '../value/go-text.js';
import { GoTyped, UINT8, isSignedKind, isUnsignedKind } from '../value/go-type.js';
import type { BranchNode } from '../parse/node.js';
import type { Eval, Signal, State, Val, Walk } from './state.js';
import {
  entryOf,
  GoBytes,
  GoMap,
  GoScalar,
  GoSlice,
  pointedTo,
  type GoObject,
  type GoValue,
} from '../value/go-value.js';

/** Runs the body for one element; true goes on. */
type Iteration = (index: Val, element: Val, isBoxed: boolean) => boolean;

/** `range` with its variables. `break` and `continue` end here. */
export function compileRange(node: BranchNode, pipe: Eval, body: Walk, otherwise: Walk | undefined): Walk {
  const names = node.pipe.declared.map((variable) => variable.names[0] ?? '');
  const { isAssign } = node.pipe;
  return (state, dot) => {
    state.node = node;
    const start = state.mark();
    const value = pipe(state, dot);
    const mark = state.mark();
    const wasBoxed = state.isDotBoxed;
    const iterate: Iteration = (index, element, isBoxed) => {
      state.run.budget.step();
      setVariables(state, names, isAssign, index, element, isBoxed);
      state.isDotBoxed = isBoxed;
      const signal = body(state, element);
      state.pop(mark);
      return signal !== 'break';
    };
    const hasRun = rangeOver(state, value, names.length, iterate);
    state.isDotBoxed = wasBoxed;
    const signal: Signal = hasRun ? 'next' : (otherwise?.(state, dot) ?? 'next');
    state.pop(start);
    // In the else part `break` ends only this range, but `continue` goes on with the one around it.
    return signal === 'break' ? 'next' : signal;
  };
}

/** With one variable it is the element, with two the index comes first. */
function setVariables(
  state: State,
  names: readonly string[],
  isAssign: boolean,
  index: Val,
  element: Val,
  isBoxed: boolean,
): void {
  const [first, second] = names;
  if (first === undefined) return;
  if (!isAssign) {
    state.setTop(1, element, isBoxed);
    if (second !== undefined) state.setTop(2, index, false);
  } else if (second === undefined) state.setVariable(first, element, isBoxed);
  else {
    state.setVariable(first, index, false);
    state.setVariable(second, element, isBoxed);
  }
}

/** False if there was nothing to go over. */
function rangeOver(state: State, value: Val, variables: number, iterate: Iteration): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return rangeList(value, true, iterate);
  if (typeof value === 'bigint') return rangeNumber(state, value, value, variables, iterate);
  if (typeof value !== 'object') return cannot(state, value);
  if (!(value instanceof GoTyped)) return rangeMap(value, true, iterate);
  if (value instanceof GoMap) return rangeMap(value.entries, value.type.elem?.kind === 'interface', iterate);
  if (value instanceof GoSlice) return rangeList(value.items, value.type.elem?.kind === 'interface', iterate);
  if (value instanceof GoBytes)
    return rangeList(
      Array.from(value.bytes, (byte) => new GoScalar(UINT8, BigInt(byte))),
      false,
      iterate,
    );
  const isWhole = value instanceof GoScalar && (isSignedKind(value.type.kind) || isUnsignedKind(value.type.kind));
  return isWhole && typeof value.value === 'bigint'
    ? rangeNumber(state, value, value.value, variables, iterate)
    : cannot(state, value);
}

function cannot(state: State, value: Exclude<GoValue, null>): never {
  return state.fail(`range can't iterate over ${plainText(pointedTo(value))}`);
}

function rangeList(items: readonly GoValue[], isBoxed: boolean, iterate: Iteration): boolean {
  const count = items.length;
  for (let i = 0; i < count; i++) if (!iterate(BigInt(i), items[i] ?? null, isBoxed)) break;
  return count > 0;
}

function rangeMap(entries: GoObject, isBoxed: boolean, iterate: Iteration): boolean {
  const sorted = sortedKeys(entries).map((key) => [key, entryOf(entries, key) ?? null] as const);
  for (const [key, value] of sorted) if (!iterate(key, value, isBoxed)) break;
  return sorted.length > 0;
}

function rangeNumber(state: State, value: GoValue, count: bigint, variables: number, iterate: Iteration): boolean {
  if (variables > 1) state.fail(`can't use ${plainText(value)} to iterate over more than one variable`);
  for (let i = 0n; i < count; i++)
    if (!iterate(undefined, value instanceof GoScalar ? new GoScalar(value.type, i) : i, false)) break;
  return count > 0n;
}
