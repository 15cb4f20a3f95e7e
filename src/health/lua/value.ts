import { isAscii } from './text.js';

/**
 * The values of a running script. One file, because they know each other: a table holds functions, a function is called
 * with a run, a run owns tables. Strings are bytes: every character code is 0..255 (see text.ts). nil is undefined;
 * null never appears.
 */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction | LuaCoroutine | LuaUserdata;
export type LuaValues = readonly LuaValue[];

/** A function of the host. Its arguments and results must not be changed afterwards by either side. */
export type HostFunction = (run: Run, args: LuaValues) => LuaValues;

/** A library: what is put into its table, in this order. */
export type HostLibrary = Readonly<Record<string, HostFunction>>;

export const NOTHING: LuaValues = Object.freeze([]);

/** What a table charges its growth to. */
export interface Meter {
  chargeMemory(bytes: number): void;
  chargeSteps(count: number): void;
}

/** What a host function may ask of the script that called it. */
export interface Run extends Meter {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly print: (text: string) => void;
  /** Metatable of each type that is neither table nor userdata; only strings have one at the start. */
  typeMetatable(type: string): LuaTable | undefined;
  setTypeMetatable(type: string, metatable: LuaTable | undefined): void;

  /** Raises an error at the caller's line; level as gopher-lua's RaiseError and error() count it, 0 for no position. */
  fail(message: string, level?: number): never;
  /** Raises any value as an error. */
  throwValue(value: LuaValue): never;
  /** `bad argument #n to name (message)` */
  argumentError(position: number, message: string): never;
  typeError(position: number, expected: string, args: LuaValues): never;

  /** A new string of this length is about to be made. Ends the script when it is too long or memory is used up. */
  chargeString(length: number): void;
  newTable(): LuaTable;

  call(callee: LuaValue, args: LuaValues): LuaValues;
  /** pcall and xpcall: errors of the script come back as a value; exhausted budgets do not come back at all. */
  protectedCall(callee: LuaValue, args: LuaValues, handler?: LuaFunction): ProtectedResult;

  /** These follow metamethods. */
  index(object: LuaValue, key: LuaValue): LuaValue;
  setIndex(object: LuaValue, key: LuaValue, value: LuaValue): void;
  equals(a: LuaValue, b: LuaValue): boolean;
  lessThan(a: LuaValue, b: LuaValue): boolean;
  length(value: LuaValue): LuaValue;
  concat(values: LuaValues): LuaValue;
  /** tostring(): with a __tostring metamethod the result may be any value. */
  toStringMeta(value: LuaValue): LuaValue;
  /** Text of a value without metamethods, `table: 0x…` for objects. */
  text(value: LuaValue): string;
  metatable(value: LuaValue): LuaTable | undefined;
  metafield(value: LuaValue, event: string): LuaValue;

  /** Compiles text as a chunk of the same script. A syntax error is an ordinary result. */
  load(source: string, name: string): LuaFunction | { readonly message: string };
  /** The global table; using it is what makes a program run in general mode. */
  globals(): LuaTable;
  /** Environment of the function `level` frames above the host function; undefined where a host function is. */
  callerFunction(level: number): LuaFunction | undefined;
  /** package.loaded of this run. */
  loaded(): LuaTable;
  /** The table of a library (`string`, `os`, …), made on first use; undefined if it is not open. */
  library(name: string): LuaTable | undefined;

  /** The coroutine that runs now; undefined in the main script. See resume.ts for yield and status. */
  readonly running: LuaCoroutine | undefined;
  newCoroutine(fn: LuaFunction, wrapped: boolean): LuaCoroutine;
  /** What coroutine.resume(co, ...) returns; a wrapped coroutine gives bare results and raises its errors. */
  resume(coroutine: LuaCoroutine, args: LuaValues): LuaValues;
}

export type ProtectedResult =
  | { readonly ok: true; readonly values: LuaValues }
  | { readonly ok: false; readonly error: LuaValue };

/** A variable that outlives its frame or is shared by closures. */
export class Cell {
  constructor(public value: LuaValue) {}
}

/** The compiled body of a function of the script. */
export interface LuaBody {
  readonly source: string;
  /** Line of the word `function`; 0 for a chunk. */
  readonly line: number;
  enter(run: Run, fn: LuaFunction, args: LuaValues): LuaValues;
  /** The same inside a coroutine: gives what is yielded, takes what resume() passes. */
  steps(run: Run, fn: LuaFunction, args: LuaValues): Generator<LuaValues, LuaValues, LuaValues>;
}

/** gopher-lua's registry has 5120 places for all values of all functions that run. */
export const MAX_VALUES = 5000;

export class LuaFunction {
  constructor(
    readonly host: HostFunction | undefined,
    readonly body: LuaBody | undefined,
    readonly cells: readonly Cell[],
    /** Where globals live; undefined in the fast mode, where globals are slots of the run. */
    public env: LuaTable | undefined,
  ) {}

  call(run: Run, args: LuaValues): LuaValues {
    if (this.host !== undefined) {
      const values = this.host(run, args);
      return values.length > MAX_VALUES ? run.fail('registry overflow') : values;
    }
    return this.body === undefined ? NOTHING : this.body.enter(run, this, args);
  }
}

export function hostFunction(host: HostFunction): LuaFunction {
  return new LuaFunction(host, undefined, [], undefined);
}

export type CoroutineStatus = 'suspended' | 'running' | 'normal' | 'dead';

export class LuaUserdata {
  metatable: LuaTable | undefined;
}

export class LuaCoroutine {
  dead = false;
  /** Resumed and not yet back: it runs, or waits for another coroutine. */
  active = false;
  /** Who resumed it. */
  parent: LuaCoroutine | undefined;
  /** The suspended execution, once started. */
  steps: Generator<LuaValues, LuaValues, LuaValues> | undefined;
  /** Frame to go on with, and how many there are. */
  frame: object | undefined;
  depth = 0;
  constructor(
    readonly fn: LuaFunction,
    readonly wrapped: boolean,
  ) {}
}

/** Content that a table takes over when it is needed: the JSON of an object. */
export interface TableSource {
  /** The value under an ASCII key, or undefined; asked at most once per key for values that are tables. */
  get(key: string): LuaValue;
  fill(table: LuaTable): void;
}

const MAX_ARRAY_INDEX = 67108864;
/** Longer keys cost steps whenever they are looked up. */
const LONG_KEY = 256;
/** Up to here keys are found by walking the list; beyond, by a map. */
const SMALL = 8;

/**
 * A table as gopher-lua keeps it: an array part for the keys 1..n (nil holes included), and a list of all other keys in
 * the order of their first assignment. A key stays in that list when its value becomes nil.
 */
export class LuaTable {
  metatable: LuaTable | undefined = undefined;
  array: LuaValue[] | undefined = undefined;
  keys: LuaValue[] | undefined = undefined;
  values: LuaValue[] = EMPTY_VALUES;
  private places: Map<LuaValue, number> | undefined = undefined;
  source: TableSource | undefined = undefined;

  constructor(readonly meter: Meter) {}

  /** The array part, to be read and changed in place. */
  list(): LuaValue[] {
    if (this.source !== undefined) this.materialise();
    return (this.array ??= []);
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'string') return this.getString(key);
    if (typeof key === 'number' && isArrayKey(key)) return this.getInt(key);
    if (this.source !== undefined) this.materialise();
    const place = this.place(key);
    return place < 0 ? undefined : this.values[place];
  }

  getString(key: string): LuaValue {
    if (this.source !== undefined && !isAscii(key)) this.materialise();
    return this.getName(key);
  }

  /** The same for a key that is known to be ASCII, as every name in a script is: bytes and text are the same then. */
  getName(key: string): LuaValue {
    const place = this.place(key);
    if (place >= 0) return this.values[place];
    return this.source === undefined ? undefined : this.fromSource(this.source, key);
  }

  /** The array part only; other numbers are never found. */
  getInt(index: number): LuaValue {
    if (this.source !== undefined) this.materialise();
    return this.array?.[index - 1];
  }

  /** A key other than nil and NaN; the caller has checked that. */
  set(key: LuaValue, value: LuaValue): void {
    if (typeof key === 'number' && isArrayKey(key)) this.setInt(key, value);
    else this.setHash(key, value);
  }

  setInt(index: number, value: LuaValue): void {
    if (index < 1 || index >= MAX_ARRAY_INDEX) return this.setHash(index, value);
    const array = this.list();
    const place = index - 1;
    if (place < array.length) array[place] = value;
    else {
      this.meter.chargeMemory(16 * (index - array.length));
      if (place - array.length > 1000) this.meter.chargeSteps(place - array.length);
      while (array.length < place) array.push(undefined);
      array.push(value);
    }
  }

  setString(key: string, value: LuaValue): void {
    this.setHash(key, value);
  }

  private setHash(key: LuaValue, value: LuaValue): void {
    if (this.source !== undefined) this.materialise();
    const place = this.place(key);
    if (place >= 0) this.values[place] = value;
    else if (value !== undefined) this.addKey(key, value);
  }

  /** Adds a key that is not there. */
  addKey(key: LuaValue, value: LuaValue): void {
    this.meter.chargeMemory(48);
    if (this.keys === undefined) {
      this.keys = [key];
      this.values = [value];
      return;
    }
    this.places?.set(key, this.keys.length);
    this.keys.push(key);
    this.values.push(value);
    if (this.places === undefined && this.keys.length > SMALL)
      this.places = new Map(this.keys.map((each, place) => [each, place]));
  }

  /** Where a key other than those of the array part stands in `keys`; -1 if nowhere. */
  place(key: LuaValue): number {
    const keys = this.keys;
    if (keys === undefined) return -1;
    if (typeof key === 'string' && key.length > LONG_KEY) this.meter.chargeSteps(key.length >> 2);
    if (this.places !== undefined) return this.places.get(key) ?? -1;
    for (let place = 0; place < keys.length; place++) if (keys[place] === key) return place;
    return -1;
  }

  private fromSource(source: TableSource, key: string): LuaValue {
    const value = source.get(key);
    // Kept, so that the same object is always the same table.
    if (value instanceof LuaTable) this.addKey(key, value);
    return value;
  }

  /** Takes over everything from the source; children that were handed out already stay the same tables. */
  materialise(): void {
    const { source, keys, values } = this;
    if (source === undefined) return;
    this.source = undefined;
    this.keys = undefined;
    this.places = undefined;
    source.fill(this);
    keys?.forEach((key, place) => this.setHash(key, values[place]));
  }

  /** `#` without metamethods: the last place of the array part that is not nil. */
  length(): number {
    if (this.source !== undefined) this.materialise();
    const array = this.array;
    if (array === undefined) return 0;
    let length = array.length;
    while (length > 0 && array[length - 1] === undefined) length--;
    if (array.length - length > 64) this.meter.chargeSteps(array.length - length);
    return length;
  }

  /** table.insert(t, value) */
  append(value: LuaValue): void {
    if (value === undefined) return;
    this.setInt(this.length() + 1, value);
  }

  /** table.insert(t, position, value): shifts whatever stands there and after. */
  insert(position: number, value: LuaValue): void {
    const array = this.list();
    if (position > array.length) this.setInt(position, value);
    else if (position <= 0) this.setHash(position, value);
    else {
      this.meter.chargeMemory(16);
      this.meter.chargeSteps((array.length - position) >> 3);
      array.splice(position - 1, 0, value);
    }
  }

  /** table.remove(t, position); any position below 1 means the last one. */
  remove(position: number): LuaValue {
    const array = this.list();
    const place = position - 1;
    if (place >= array.length) return undefined;
    if (place < 0 || place === array.length - 1) return array.pop();
    this.meter.chargeSteps((array.length - place) >> 3);
    return array.splice(place, 1)[0];
  }

  /** What next(t, key) gives; undefined at the end. An unknown key goes on after the first one, as in gopher-lua. */
  next(key: LuaValue): readonly [LuaValue, LuaValue] | undefined {
    if (this.source !== undefined) this.materialise();
    const array = this.array;
    const keys = this.keys ?? NOTHING;
    let place: number;
    const start = key === undefined ? 0 : arrayStart(key);
    if (start < 0) place = Math.max(this.place(key), 0) + 1;
    else {
      const size = array?.length ?? 0;
      for (let index = start; index < size; index++) {
        const value = array?.[index];
        if (value !== undefined) return [index + 1, value];
        if ((index & 1023) === 1023) this.meter.chargeSteps(1024);
      }
      place = array === undefined || start <= size ? 0 : 1;
    }
    for (; place < keys.length; place++) {
      const value = this.values[place];
      if (value !== undefined) return [keys[place], value];
      if ((place & 1023) === 1023) this.meter.chargeSteps(1024);
    }
    return undefined;
  }
}

/** Never written to: the first key replaces it. */
const EMPTY_VALUES: LuaValue[] = [];

/** Where the list part goes on after a key; -1 for a key that is not in it. */
function arrayStart(key: LuaValue): number {
  return typeof key === 'number' && isArrayKey(key) ? key : -1;
}

function isArrayKey(value: number): boolean {
  return value > 0 && value < MAX_ARRAY_INDEX && Math.trunc(value) === value;
}

export function isTrue(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

export function typeName(
  value: LuaValue,
): 'nil' | 'boolean' | 'number' | 'string' | 'table' | 'function' | 'thread' | 'userdata' {
  switch (typeof value) {
    case 'undefined':
      return 'nil';
    case 'boolean':
      return 'boolean';
    case 'number':
      return 'number';
    case 'string':
      return 'string';
    default:
  }
  if (value instanceof LuaTable) return 'table';
  if (value instanceof LuaFunction) return 'function';
  return value instanceof LuaCoroutine ? 'thread' : 'userdata';
}
