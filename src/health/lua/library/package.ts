import {
  hostFunction,
  isTrue,
  LuaFunction,
  LuaTable,
  LuaUserdata,
  type HostFunction,
  type LuaValue,
  type Run,
} from '../value.js';
import { checkString, checkTable } from './arguments.js';
import { SAFE_OS } from './os.js';

/**
 * package, require and module. Nothing is ever read from a file: only libraries and package.preload can be required.
 */

const PATH = './?.lua;/usr/local/share/lua/5.1/?.lua;/usr/local/share/lua/5.1/?/init.lua';

interface PackageState {
  readonly table: LuaTable;
  readonly loaders: LuaTable;
  /** Marks a module whose loader runs. */
  readonly loading: LuaUserdata;
}

const states = new WeakMap<Run, PackageState>();

function tableOf(run: Run, fields: Readonly<Record<string, LuaValue>>): LuaTable {
  const table = run.newTable();
  for (const [name, value] of Object.entries(fields)) table.setString(name, value);
  return table;
}

function stateOf(run: Run): PackageState {
  const known = states.get(run);
  if (known !== undefined) return known;
  const loaders = run.newTable();
  loaders.append(hostFunction(preloadLoader));
  loaders.append(hostFunction(fileLoader));
  const loaded = run.loaded();
  // After Argo CD has opened its libraries, only these two count as loaded; `os` is the safe one, made when asked for.
  if (loaded.getString('table') === undefined) loaded.setString('table', run.library('table'));
  const table = tableOf(run, {
    loadlib: hostFunction((inner) => inner.fail('loadlib is not supported')),
    seeall: hostFunction(seeall),
    preload: tableOf(run, {
      os: hostFunction((inner) => [
        tableOf(inner, { time: hostFunction(SAFE_OS.time), date: hostFunction(SAFE_OS.date) }),
      ]),
    }),
    loaders,
    loaded,
    path: PATH,
    cpath: '',
    config: '/\n;\n?\n!\n-\n',
  });
  const state = { table, loaders, loading: new LuaUserdata() };
  states.set(run, state);
  return state;
}

/** The table `package`, for scripts that name it. */
export function openPackage(run: Run): LuaTable {
  const { table } = stateOf(run);
  const loaded = run.loaded();
  if (loaded.getString('_G') === undefined) loaded.setString('_G', run.globals());
  return table;
}

const preloadLoader: HostFunction = (run, args) => {
  const name = checkString(run, args, 1);
  const preload = run.index(stateOf(run).table, 'preload');
  if (!(preload instanceof LuaTable)) run.fail('package.preload must be a table');
  return [run.index(preload, name) ?? `no field package.preload['${name}']`];
};

/** Tells what a search on a disk without any file would tell. */
const fileLoader: HostFunction = (run, args) => {
  const name = checkString(run, args, 1).replaceAll('.', '/');
  const path = run.index(stateOf(run).table, 'path');
  if (typeof path !== 'string') return run.fail('package.path must be a string');
  const places = path.split(';');
  const holes = path.split('?').length - 1;
  run.chargeString(path.length * 2 + holes * name.length + places.length * 40);
  return [places.map((place) => `stat ${place.replaceAll('?', () => name)}: no such file or directory`).join('\n\t')];
};

const seeall: HostFunction = (run, args) => {
  const module = checkTable(run, args, 1);
  const metatable = (module.metatable ??= run.newTable());
  run.setIndex(metatable, '__index', run.globals());
  return [];
};

export const requireFunction: HostFunction = (run, args) => {
  const name = checkString(run, args, 1);
  const { loaders, loading } = stateOf(run);
  const loaded = run.loaded();
  const known = name === '_G' && loaded.getString('_G') === undefined ? run.globals() : loaded.getString(name);
  if (known === loading) run.fail(`loop or previous error loading module: ${name}`);
  if (isTrue(known)) return [known];
  const loader = findLoader(run, name, loaders);
  loaded.setString(name, loading);
  const result = run.call(loader, [name])[0];
  const now = loaded.getString(name);
  if (now !== loading) return [now];
  const value = result ?? true;
  loaded.setString(name, value);
  return [value];
};

function findLoader(run: Run, name: string, loaders: LuaTable): LuaFunction {
  const messages: string[] = [];
  for (let i = 1; ; i++) {
    const loader = loaders.getInt(i);
    if (loader === undefined) return run.fail(`module ${name} not found:\n\t${messages.join('\n\t')}, `);
    const answer = run.call(loader, [name])[0];
    if (answer instanceof LuaFunction) return answer;
    if (typeof answer === 'string') messages.push(answer);
  }
}

export const moduleFunction: HostFunction = (run, args) => {
  const name = checkString(run, args, 1);
  const loaded = run.loaded();
  const table = loaded.getString(name) ?? findTable(run, name);
  if (!(table instanceof LuaTable)) return run.fail(`name conflict for module: ${name}`);
  loaded.setString(name, table);
  if (run.index(table, '_NAME') === undefined) {
    run.setIndex(table, '_M', table);
    run.setIndex(table, '_NAME', name);
    run.setIndex(table, '_PACKAGE', name.slice(0, name.lastIndexOf('.') + 1));
  }
  const caller = run.callerFunction(1);
  if (caller === undefined || caller.host !== undefined) return run.fail('module() can not be called from GFunctions.');
  caller.env = table;
  for (const option of args.slice(1)) run.call(option, [table]);
  return [table];
};

/** `a.b.c` as nested global tables, made where missing; undefined if something else is in the way. */
function findTable(run: Run, name: string): LuaTable | undefined {
  let current = run.globals();
  for (const part of name.split('.')) {
    let next = current.getString(part);
    if (next === undefined) {
      next = run.newTable();
      current.setString(part, next);
    }
    if (!(next instanceof LuaTable)) return undefined;
    current = next;
  }
  return current;
}
