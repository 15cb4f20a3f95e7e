import { DEFAULT_BUDGET, type LuaBudget, type LuaOptions } from './budget.js';
import { Frame, HOST_SITE, type CallSite } from './frame.js';
import { LuaError } from './lua-error.js';
import { numberToText } from './library/number-text.js';
import * as operations from './operations.js';
import { resumeCoroutine } from './resume.js';
import { toText } from './text.js';
import {
  Cell,
  LuaCoroutine,
  LuaFunction,
  LuaTable,
  LuaUserdata,
  NOTHING,
  typeName,
  type LuaValue,
  type LuaValues,
  type ProtectedResult,
  type Run,
} from './value.js';

/** What a run is given by the program it runs. */
export interface ScriptEnvironment {
  readonly script: string;
  openLibrary(run: LuaRun, name: string): LuaTable | undefined;
  openGlobals(run: LuaRun, table: LuaTable): void;
  /** A function of the library `string`, if that is open. */
  stringMethod(name: string): LuaValue;
  load(run: LuaRun, source: string, name: string): LuaFunction | { readonly message: string };
}

/** Stands in the slot of a global whose library table nobody has asked for yet. */
export const LIBRARY = new LuaUserdata();

/** Steps between two looks at the clock. */
const SLICE = 100_000;

/** Everything that changes while a script runs. A run is used once; programs are shared by runs. */
export class LuaRun implements Run {
  /** The innermost function of the script, or a host function that called back. */
  frame: Frame | undefined = undefined;
  /** Steps left until the next look at clock and budget. */
  steps: number;
  /** Frames in use. */
  depth = 0;
  readonly maxDepth: number;
  running: LuaCoroutine | undefined = undefined;
  /** Globals of a program in fast mode, by number. */
  slots: LuaValue[] = [];
  readonly now: () => number;
  readonly print: (text: string) => void;
  /** An xpcall waits for errors. */
  private hasHandler = false;
  private memory: number;
  private stepsLeft: number;
  private readonly stringLimit: number;
  private deadline = Infinity;
  private readonly elapsed: (() => number) | undefined;
  private typeMetatables: Map<string, LuaTable | undefined> | undefined = undefined;
  private libraries: Map<string, LuaTable | undefined> | undefined = undefined;
  private globalTable: LuaTable | undefined = undefined;
  private loadedTable: LuaTable | undefined = undefined;
  private addresses: Map<object, number> | undefined = undefined;

  constructor(
    readonly environment: ScriptEnvironment,
    readonly options: LuaOptions,
  ) {
    const budget: LuaBudget = options.budget === undefined ? DEFAULT_BUDGET : { ...DEFAULT_BUDGET, ...options.budget };
    this.now = options.now;
    this.print = options.print ?? drop;
    this.memory = budget.memory;
    this.stringLimit = budget.stringLength;
    this.maxDepth = budget.depth;
    this.steps = Math.min(SLICE, budget.steps);
    this.stepsLeft = budget.steps - this.steps;
    this.elapsed = options.elapsed;
    if (options.elapsed !== undefined) this.deadline = options.elapsed() + budget.time;
  }

  chargeSteps(count: number): void {
    if ((this.steps -= count) < 0) this.tick();
  }

  /** Called when `steps` falls below zero. */
  tick(): void {
    if (this.elapsed !== undefined && this.elapsed() > this.deadline) this.abort('the script took too long');
    const needed = -this.steps;
    if (this.stepsLeft < needed) this.abort('the script took too many steps');
    const slice = Math.min(SLICE + needed, this.stepsLeft);
    this.stepsLeft -= slice;
    this.steps += slice;
  }

  /** The same where the frame has not noted its line. */
  tickAt(frame: Frame, site: CallSite): void {
    frame.site = site;
    this.tick();
  }

  chargeMemory(bytes: number): void {
    if ((this.memory -= bytes) < 0) this.abort('the script used too much memory');
  }

  chargeString(size: number): void {
    if (size > this.stringLimit) this.abort('the script made a string that is too long');
    if ((this.memory -= size) < 0) this.abort('the script used too much memory');
  }

  /** Ends the script; nothing in it can catch this. */
  abort(message: string): never {
    const text = this.where(0) + message;
    throw new LuaError('budget', toText(text), text, { script: this.environment.script, line: this.line() });
  }

  fail(message: string, level = 1): never {
    return this.throwValue(level > 0 ? `${this.where(Math.max(level - 2, 0))}${message}` : message);
  }

  throwValue(value: LuaValue): never {
    this.chargeSteps(200);
    if (!this.hasHandler) this.cutCells();
    throw new LuaError('runtime', toText(this.text(value)), value, {
      script: this.environment.script,
      line: this.line(),
    });
  }

  argumentError(position: number, message: string): never {
    return this.fail(`bad argument #${position} to ${this.frame?.site.name ?? '(anonymous)'} (${message})`);
  }

  typeError(position: number, expected: string, args: LuaValues): never {
    return this.argumentError(position, `${expected} expected, got ${typeName(args[position - 1])}`);
  }

  /**
   * gopher-lua closes the variables of all running functions when an error is raised, even if pcall catches it: from
   * then on a function and the closures it has made no longer share them.
   */
  private cutCells(): void {
    for (let frame = this.frame; frame !== undefined; frame = frame.caller) {
      const { cells, fn } = frame;
      const first = fn?.cells.length ?? 0;
      this.chargeSteps(1 + cells.length - first);
      for (let i = first; i < cells.length; i++) {
        const cell = cells[i];
        if (cell !== undefined) cells[i] = new Cell(cell.value);
      }
    }
  }

  private line(): number | undefined {
    for (let frame = this.frame; frame !== undefined; frame = frame.caller)
      if (frame.fn !== undefined) return frame.site.line;
    return undefined;
  }

  /** `<string>:3: ` for the frame that many levels up; host functions have no position, so the next one up is taken. */
  private where(level: number): string {
    let frame = this.frameAt(level);
    while (frame !== undefined && frame.fn === undefined) frame = frame.caller;
    return frame === undefined ? ' ' : `${frame.fn?.body?.source ?? ''}:${frame.site.line}: `;
  }

  private frameAt(level: number): Frame | undefined {
    let frame = this.frame;
    let left = level;
    for (; left > 0 && frame !== undefined; frame = frame.caller)
      left -= 1 + (frame.fn === undefined ? 0 : frame.tailCalls);
    // A tail call that has swallowed the level: gopher-lua then names the outermost function.
    if (left < 0) for (frame = this.frame; frame?.caller !== undefined; ) frame = frame.caller;
    return frame;
  }

  callerFunction(level: number): LuaFunction | undefined {
    let frame = this.frame;
    for (let i = 1; i < level && frame !== undefined; i++) frame = frame.caller;
    return frame?.fn;
  }

  newTable(): LuaTable {
    this.chargeMemory(64);
    return new LuaTable(this);
  }

  call(callee: LuaValue, args: LuaValues): LuaValues {
    const saved = this.frame;
    this.enterHost();
    const values = callee instanceof LuaFunction ? callee.call(this, args) : this.callValue(callee, args);
    this.frame = saved;
    this.depth--;
    return values;
  }

  private enterHost(): void {
    if (this.depth >= this.maxDepth) this.fail('stack overflow');
    this.depth++;
    this.frame = new Frame(undefined, this.frame, [], [], NOTHING, HOST_SITE);
  }

  invoke(fn: LuaFunction, args: LuaValues): LuaValues {
    return fn.call(this, args);
  }

  /** Calls what is not a function: through __call, or not at all. */
  callValue(callee: LuaValue, args: LuaValues): LuaValues {
    return this.callable(callee).call(this, [callee, ...args]);
  }

  callable(callee: LuaValue): LuaFunction {
    const handler = this.metafield(callee, '__call');
    return handler instanceof LuaFunction ? handler : this.fail('attempt to call a non-function object');
  }

  protectedCall(callee: LuaValue, args: LuaValues, handler?: LuaFunction): ProtectedResult {
    const { frame, depth } = this;
    if (handler !== undefined) this.hasHandler = true;
    try {
      return { ok: true, values: this.call(callee, args) };
    } catch (error) {
      if (!(error instanceof LuaError) || error.kind === 'budget') throw error;
      if (handler === undefined) return { ok: false, error: error.value };
      return this.handleError(handler, error.value);
    } finally {
      this.frame = frame;
      this.depth = depth;
      this.hasHandler = false;
    }
  }

  /** xpcall's handler still sees the frames of the error. One that fails itself gives its own error. */
  private handleError(handler: LuaFunction, value: LuaValue): ProtectedResult {
    try {
      return { ok: false, error: this.call(handler, [value])[0] };
    } catch (error) {
      if (!(error instanceof LuaError) || error.kind === 'budget') throw error;
      return { ok: false, error: error.value };
    }
  }

  index(object: LuaValue, key: LuaValue): LuaValue {
    return operations.index(this, object, key);
  }

  setIndex(object: LuaValue, key: LuaValue, value: LuaValue): void {
    operations.setIndex(this, object, key, value);
  }

  equals(a: LuaValue, b: LuaValue): boolean {
    return operations.equals(this, a, b);
  }

  lessThan(a: LuaValue, b: LuaValue): boolean {
    return operations.lessThan(this, a, b);
  }

  length(value: LuaValue): LuaValue {
    return operations.length(this, value);
  }

  concat(values: LuaValues): LuaValue {
    return operations.concat(this, values);
  }

  toStringMeta(value: LuaValue): LuaValue {
    const handler = this.metafield(value, '__tostring');
    return handler instanceof LuaFunction ? this.call(handler, [value])[0] : this.text(value);
  }

  text(value: LuaValue): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return numberToText(value);
    if (value === undefined) return 'nil';
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    return `${typeName(value)}: ${this.address(value)}`;
  }

  /** gopher-lua prints a pointer. Here objects are numbered as they are first printed, so that runs are repeatable. */
  private address(object: object): string {
    const addresses = (this.addresses ??= new Map<object, number>());
    let number = addresses.get(object);
    if (number === undefined) {
      this.chargeMemory(64);
      number = addresses.size;
      addresses.set(object, number);
    }
    return `0x${(0xc000010000 + number * 64).toString(16)}`;
  }

  metatable(value: LuaValue): LuaTable | undefined {
    if (value instanceof LuaTable || value instanceof LuaUserdata) return value.metatable;
    return this.typeMetatable(typeName(value));
  }

  metafield(value: LuaValue, event: string): LuaValue {
    return this.metatable(value)?.getString(event);
  }

  typeMetatable(type: string): LuaTable | undefined {
    if (this.typeMetatables?.has(type) === true) return this.typeMetatables.get(type);
    return type === 'string' ? this.library('string') : undefined;
  }

  setTypeMetatable(type: string, metatable: LuaTable | undefined): void {
    (this.typeMetatables ??= new Map()).set(type, metatable);
  }

  library(name: string): LuaTable | undefined {
    const libraries = (this.libraries ??= new Map<string, LuaTable | undefined>());
    if (!libraries.has(name)) libraries.set(name, this.environment.openLibrary(this, name));
    return libraries.get(name);
  }

  /** A method of strings as long as nobody can have changed it. */
  stringMethod(name: string): LuaValue {
    const isTouched = this.typeMetatables !== undefined || this.libraries?.has('string') === true;
    return isTouched ? undefined : this.environment.stringMethod(name);
  }

  globals(): LuaTable {
    if (this.globalTable === undefined) {
      this.globalTable = this.newTable();
      this.environment.openGlobals(this, this.globalTable);
      // Last, because the table of `package` shows the global table.
      this.globalTable.setString('package', this.library('package'));
    }
    return this.globalTable;
  }

  loaded(): LuaTable {
    return (this.loadedTable ??= this.newTable());
  }

  load(source: string, name: string): LuaFunction | { readonly message: string } {
    return this.environment.load(this, source, name);
  }

  newCoroutine(fn: LuaFunction, wrapped: boolean): LuaCoroutine {
    this.chargeMemory(512);
    return new LuaCoroutine(fn, wrapped);
  }

  resume(coroutine: LuaCoroutine, args: LuaValues): LuaValues {
    return resumeCoroutine(this, coroutine, args);
  }
}

/** print() without a listener. */
function drop(): void {
  // Nobody listens.
}
