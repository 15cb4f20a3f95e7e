import { compileList } from './call.js';
import { compileExpression, compileTest } from './expression.js';
import { compileBlock, compileStatement } from './statement.js';
import { RETURN, TAIL_CALL, type Arguments, type Compiler, type Evaluate, type Execute, type Test } from './types.js';
import { Frame, type CallSite } from '../frame.js';
import type { LuaRun } from '../run.js';
import type { Steps } from './step-expression.js';
import { Stepper } from './step-statement.js';
import type { Block, Expression, FunctionNode, Statement, Variable } from '../syntax/tree.js';
import { Cell, LuaFunction, LuaTable, NOTHING, type LuaBody, type LuaValue, type LuaValues } from '../value.js';

/** What compiled code knows of the libraries: which names they have, and the functions behind them. */
export interface Builtins {
  isLibrary(name: string): boolean;
  member(library: string, name: string): LuaValue;
  global(name: string): LuaFunction | undefined;
}

/** What all functions of one script share. */
export interface Unit {
  readonly script: string;
  readonly isGeneral: boolean;
  readonly builtins: Builtins;
}

/** A function of a script. Compiled when it is first called, then shared by all closures and runs. */
export class CompiledBody implements LuaBody {
  readonly source: string;
  readonly line: number;
  private readonly entry: CallSite;
  private readonly paramCount: number;
  private readonly slotCount: number;
  private execute: Execute | undefined = undefined;
  private walker: Stepper | undefined = undefined;
  private cost = 1;
  /** How this body's frames get their parameters into cells, if inner functions capture any. */
  private readonly cellParams: readonly { readonly slot: number; readonly cell: number }[];
  private readonly compiler: FunctionCompiler;

  constructor(
    unit: Unit,
    private readonly fn: FunctionNode,
  ) {
    this.source = unit.script;
    this.line = fn.line;
    this.entry = { line: Math.max(fn.line, 1), name: '?' };
    this.paramCount = fn.params.length;
    this.slotCount = fn.slotCount;
    this.compiler = new FunctionCompiler(unit, fn);
    const entries = fn.argTable === undefined ? fn.params : [...fn.params, fn.argTable];
    this.cellParams = entries
      .filter(({ captured }) => captured)
      .map((variable) => ({ slot: variable.slot, cell: this.compiler.cell(variable) }));
  }

  enter(run: LuaRun, fn: LuaFunction, args: LuaValues): LuaValues {
    if (run.depth >= run.maxDepth) run.fail('stack overflow');
    run.depth++;
    const caller = run.frame;
    let frame = this.start(run, fn, args, caller);
    let signal = this.code()(run, frame);
    for (let tailCalls = 1; signal === TAIL_CALL; tailCalls++) {
      const { next, result } = frame;
      if (next === undefined || !(next.body instanceof CompiledBody)) break;
      frame = next.body.start(run, next, result ?? NOTHING, caller);
      frame.tailCalls = tailCalls;
      signal = next.body.code()(run, frame);
    }
    run.frame = caller;
    run.depth--;
    return signal === RETURN ? (frame.result ?? NOTHING) : NOTHING;
  }

  private code(): Execute {
    return this.execute ?? this.compile();
  }

  private compile(): Execute {
    this.execute = this.compiler.block(this.fn.body);
    this.cost = 1 + this.compiler.nodes;
    return this.execute;
  }

  /** A frame for a call, made the current one. */
  start(run: LuaRun, fn: LuaFunction, args: LuaValues, caller: Frame | undefined): Frame {
    const { paramCount, slotCount } = this;
    const slots: LuaValue[] = [];
    for (let i = 0; i < slotCount; i++) slots.push(i < paramCount ? args[i] : undefined);
    const varargs = this.fn.isVararg && args.length > paramCount ? args.slice(paramCount) : NOTHING;
    const cells = this.fn.ownCells === 0 ? (fn.cells as Cell[]) : [...fn.cells];
    const frame = new Frame(fn, caller, slots, cells, varargs, this.entry);
    if (this.fn.argTable !== undefined && !this.fn.usesVarargs) slots[this.fn.argTable.slot] = argTable(run, varargs);
    for (const { slot, cell } of this.cellParams) cells[cell] = new Cell(slots[slot]);
    run.frame = frame;
    if ((run.steps -= this.cost) < 0) run.tick();
    return frame;
  }

  *steps(run: LuaRun, fn: LuaFunction, args: LuaValues): Steps<LuaValues> {
    if (run.depth >= run.maxDepth) run.fail('stack overflow');
    run.depth++;
    const caller = run.frame;
    let frame = this.start(run, fn, args, caller);
    let signal = yield* this.stepper().block(run, frame, this.fn.body);
    for (let tailCalls = 1; signal === TAIL_CALL; tailCalls++) {
      const { next, result } = frame;
      if (next === undefined || !(next.body instanceof CompiledBody)) break;
      frame = next.body.start(run, next, result ?? NOTHING, caller);
      frame.tailCalls = tailCalls;
      signal = yield* next.body.stepper().block(run, frame, next.body.fn.body);
    }
    run.frame = caller;
    run.depth--;
    return signal === RETURN ? (frame.result ?? NOTHING) : NOTHING;
  }

  private stepper(): Stepper {
    return (this.walker ??= new Stepper(this.compiler));
  }
}

/** The list of extra arguments that Lua 5.0 had under the name `arg`. */
function argTable(run: LuaRun, values: LuaValues): LuaTable {
  const table = run.newTable();
  values.forEach((value, i) => table.setInt(i + 1, value));
  table.setString('n', values.length);
  return table;
}

class FunctionCompiler implements Compiler {
  nodes = 0;
  private firstZero: number | undefined = undefined;
  readonly isGeneral: boolean;

  constructor(
    private readonly unit: Unit,
    readonly fn: FunctionNode,
  ) {
    this.isGeneral = unit.isGeneral;
  }

  expression(node: Expression): Evaluate {
    return compileExpression(this, node);
  }

  list(nodes: readonly Expression[]): Arguments {
    return compileList(this, nodes);
  }

  test(node: Expression): Test {
    return compileTest(this, node);
  }

  statement(node: Statement): Execute {
    return compileStatement(this, node);
  }

  block(block: Block): Execute {
    return compileBlock(this, block);
  }

  /** Cells of a frame: first those of outer functions, then its own. */
  cell(variable: Variable): number {
    const { upvalues } = this.fn;
    return variable.owner === this.fn ? upvalues.length + variable.cell : upvalues.indexOf(variable);
  }

  closure(fn: FunctionNode): Evaluate {
    const body = new CompiledBody(this.unit, fn);
    const captures = fn.upvalues.map((variable) => this.cell(variable));
    const charge = 64 + 8 * captures.length;
    return (run, frame) => {
      run.chargeMemory(charge);
      const cells: Cell[] = [];
      for (const capture of captures) cells.push(frame.cells[capture] ?? (frame.cells[capture] = new Cell(undefined)));
      return new LuaFunction(undefined, body, cells, frame.fn?.env);
    };
  }

  zero(value: number): number {
    return (this.firstZero ??= value);
  }

  member(library: string, name: string): LuaValue {
    return this.unit.builtins.member(library, name);
  }

  isLibrary(name: string): boolean {
    return this.unit.builtins.isLibrary(name);
  }

  builtin(name: string): LuaFunction | undefined {
    return this.unit.builtins.global(name);
  }
}
