import type { Frame } from '../frame.js';
import type { LuaRun } from '../run.js';
import type { Block, Expression, FunctionNode, Statement, Variable } from '../syntax/tree.js';
import type { LuaFunction, LuaValue, LuaValues } from '../value.js';

/** A script becomes closures, one per node of its tree. Everything that changes is in the run and its frames. */
export type Evaluate = (run: LuaRun, frame: Frame) => LuaValue;
export type EvaluateAll = (run: LuaRun, frame: Frame) => LuaValues;
export type Arguments = (run: LuaRun, frame: Frame) => LuaValue[];
export type Test = (run: LuaRun, frame: Frame) => boolean;
/** What a statement ends with, one of the signals below. */
export type Execute = (run: LuaRun, frame: Frame) => number;

export const NORMAL = 0;
export const BREAK = 1;
/** frame.result holds the values. */
export const RETURN = 2;
/** frame.next is to be called with frame.result, in place of this function. */
export const TAIL_CALL = 3;
/** frame.label says where to. */
export const GOTO = 4;

/** How one function is compiled: what its nodes may ask for. */
export interface Compiler {
  readonly fn: FunctionNode;
  /** Globals are fields of a table (`_G`, setfenv, load …) instead of slots of the run. */
  readonly isGeneral: boolean;
  /** Grows with every node; the difference over a loop's body is what one turn costs. */
  nodes: number;
  expression(node: Expression): Evaluate;
  /** All values of a list: the last expression may give any number. */
  list(nodes: readonly Expression[]): Arguments;
  test(node: Expression): Test;
  statement(node: Statement): Execute;
  block(block: Block): Execute;
  /** Place of a captured variable among the frame's cells. */
  cell(variable: Variable): number;
  closure(fn: FunctionNode): Evaluate;
  /** A built-in function of a library, if the name is one. */
  member(library: string, name: string): LuaValue;
  isLibrary(name: string): boolean;
  /** 0 or -0, whichever a function writes first: gopher-lua keeps only one of them among its constants. */
  zero(value: number): number;
  builtin(name: string): LuaFunction | undefined;
}
