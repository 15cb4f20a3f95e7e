import type { Json } from '../../model/json/index.js';
import type { LuaOptions } from './budget.js';
import { CompiledBody, type Unit } from './compile/function-compiler.js';
import { fromJson } from './from-json.js';
import { globalFunction, globalValue, isLibrary, isOpen, member, openGlobals, openLibrary } from './libraries.js';
import { LuaError } from './lua-error.js';
import { parse, type Chunk } from './syntax/parser.js';
import { LIBRARY, LuaRun, type ScriptEnvironment } from './run.js';
import { toBytes } from './text.js';
import { LuaFunction, LuaTable, type LuaValue, type LuaValues } from './value.js';

/** Longer texts are refused unread; the longest script that Argo CD bundles has 8 KB. */
const MAX_SOURCE = 256 * 1024;

/** A script that names one of these can reach its globals by other ways than their names, so they live in a table. */
const REFLECTIVE = ['_G', 'getfenv', 'setfenv', 'module', 'require', 'package', 'load', 'loadstring', 'debug'];

/** A compiled script. Never changes, and serves any number of runs. */
export class LuaProgram {
  readonly isGeneral: boolean;
  private readonly body: CompiledBody;
  private readonly open: readonly LuaValue[];
  private readonly closed: readonly LuaValue[];
  private readonly slots: ReadonlyMap<string, number>;

  constructor(
    readonly name: string,
    chunk: Chunk,
  ) {
    this.isGeneral = REFLECTIVE.some((each) => chunk.globals.has(each));
    this.slots = chunk.globals;
    this.body = new CompiledBody(unitOf(name, this.isGeneral), chunk.fn);
    const names = [...chunk.globals.keys()];
    this.open = names.map((each) => (isOpen(each, true) ? LIBRARY : globalValue(each)));
    this.closed = names.map((each) => (isOpen(each, false) ? LIBRARY : globalValue(each)));
  }

  run(globals: Readonly<Record<string, Json | undefined>>, options: LuaOptions): LuaValues {
    return protectStack(this.name, () => {
      const run = new LuaRun(new ProgramEnvironment(this.name, globals, options.openLibs === true), options);
      const env = this.isGeneral ? run.globals() : undefined;
      if (env === undefined) this.fillSlots(run, globals, options.openLibs === true);
      return this.body.enter(run, new LuaFunction(undefined, this.body, [], env), []);
    });
  }

  private fillSlots(run: LuaRun, globals: Readonly<Record<string, Json | undefined>>, openLibs: boolean): void {
    run.slots = (openLibs ? this.open : this.closed).slice();
    for (const name of Object.keys(globals)) {
      const slot = this.slots.get(name);
      if (slot !== undefined) run.slots[slot] = fromJson(globals[name], run);
    }
  }
}

function unitOf(script: string, isGeneral: boolean): Unit {
  return { script, isGeneral, builtins: { isLibrary, member, global: globalFunction } };
}

class ProgramEnvironment implements ScriptEnvironment {
  constructor(
    readonly script: string,
    private readonly given: Readonly<Record<string, Json | undefined>>,
    private readonly openLibs: boolean,
  ) {}

  openLibrary(run: LuaRun, name: string): LuaTable | undefined {
    return openLibrary(run, name, this.openLibs);
  }

  openGlobals(run: LuaRun, table: LuaTable): void {
    openGlobals(run, table, this.openLibs);
    for (const name of Object.keys(this.given)) table.setString(name, fromJson(this.given[name], run));
  }

  stringMethod(name: string): LuaValue {
    return this.openLibs ? member('string', name) : undefined;
  }

  load(run: LuaRun, source: string, name: string): LuaFunction | { readonly message: string } {
    run.chargeSteps(source.length);
    run.chargeMemory(source.length * 32);
    try {
      const body = new CompiledBody(unitOf(name, true), readChunk(source, name).fn);
      return new LuaFunction(undefined, body, [], run.globals());
    } catch (error) {
      if (error instanceof LuaError && error.kind === 'syntax' && typeof error.value === 'string')
        return { message: error.value };
      throw error;
    }
  }
}

export function readProgram(source: string, name: string): LuaProgram {
  return new LuaProgram(name, readChunk(toBytes(source), name));
}

function readChunk(bytes: string, name: string): Chunk {
  if (bytes.length > MAX_SOURCE)
    throw plainError('syntax', `${name}: the script is longer than ${MAX_SOURCE} bytes`, name);
  return protectStack(name, () => parse(bytes, name));
}

/**
 * Depth is limited long before the stack of the host ends; this is the net below, for a caller that is deep already.
 */
function protectStack<T>(script: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw plainError('budget', `${script}: the script is nested too deeply`, script);
    throw error;
  }
}

function plainError(kind: 'syntax' | 'budget', message: string, script: string): LuaError {
  return new LuaError(kind, message, message, { script, line: undefined });
}
