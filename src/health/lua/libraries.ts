import { BASE } from './library/base.js';
import { COROUTINE } from './library/coroutine.js';
import { DEBUG } from './library/debug.js';
import { IO } from './library/io.js';
import { MATH, MATH_NUMBERS } from './library/math.js';
import { OS } from './library/os.js';
import { openPackage } from './library/package.js';
import { STRING } from './library/string.js';
import { TABLE } from './library/table.js';
import { hostFunction, LuaFunction, type HostLibrary, type LuaTable, type LuaValue, type Run } from './value.js';

/** Names are looked up in maps, never on host objects: a script chooses them. */
type Members = ReadonlyMap<string, LuaValue>;

function members(library: HostLibrary, numbers: Readonly<Record<string, number>> = {}): Members {
  const functions = Object.entries(library).map(([name, host]): [string, LuaValue] => [name, hostFunction(host)]);
  return new Map<string, LuaValue>([...functions, ...Object.entries(numbers)]);
}

/** Functions of the host are the same objects in every run: nothing in a script can change them. */
const GLOBALS = members(BASE);
const LIBRARIES: ReadonlyMap<string, Members> = new Map<string, Members>([
  ['table', members(TABLE)],
  ['io', members(IO)],
  ['os', members(OS)],
  ['string', members(STRING)],
  ['math', members(MATH, MATH_NUMBERS)],
  ['debug', members(DEBUG)],
  ['coroutine', members(COROUTINE)],
  ['package', members({})],
]);
/** Argo CD opens these for every script. */
const ALWAYS_OPEN: ReadonlySet<string> = new Set(['table', 'package']);
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['_VERSION', 'Lua 5.1'],
  ['_GOPHER_LUA_VERSION', 'GopherLua 0.1'],
]);

export function isLibrary(name: string): boolean {
  return LIBRARIES.has(name);
}

export function isOpen(name: string, openLibs: boolean): boolean {
  return openLibs ? LIBRARIES.has(name) : ALWAYS_OPEN.has(name);
}

export function member(library: string, name: string): LuaValue {
  return LIBRARIES.get(library)?.get(name);
}

export function globalFunction(name: string): LuaFunction | undefined {
  const value = GLOBALS.get(name);
  return value instanceof LuaFunction ? value : undefined;
}

/** What a global that is neither library nor given by the caller is at the start. */
export function globalValue(name: string): LuaValue {
  return GLOBALS.get(name) ?? TEXTS.get(name);
}

/** The table of a library, fresh for one run. */
export function openLibrary(run: Run, name: string, openLibs: boolean): LuaTable | undefined {
  if (!isOpen(name, openLibs)) return undefined;
  if (name === 'package') return openPackage(run);
  const table = run.newTable();
  for (const [key, value] of LIBRARIES.get(name) ?? []) table.setString(key, value);
  // Strings find their methods through it.
  if (name === 'string') table.setString('__index', table);
  return table;
}

/** The global table with everything in it, for scripts that look at it. */
export function openGlobals(run: Run, table: LuaTable, openLibs: boolean): void {
  for (const [name, value] of GLOBALS) table.setString(name, value);
  for (const [name, value] of TEXTS) table.setString(name, value);
  table.setString('_G', table);
  for (const name of LIBRARIES.keys())
    if (name !== 'package' && isOpen(name, openLibs)) table.setString(name, run.library(name));
}
