import type { CallContext, GoFunctions } from '../template/value/go-function.js';
import { sortedKeys } from '../template/value/go-text.js';
import { ANY, BOOL, LIST, MAP, STRING, STRINGS } from '../template/value/go-type.js';
import { functionError } from '../template/template-error.js';
import {
  asObject,
  entryOf,
  GoMap,
  setEntry,
  typeName,
  type GoObject,
  type GoValue,
} from '../template/value/go-value.js';
import { PartCount } from '../template/value/weight.js';
import { define, defineVariadic, typeOfNil, type Arguments } from './define.js';
import { deepCopy, mergeMaps } from './merge.js';
import { stringOf } from './text.js';

function nilMapWrite(): Error {
  return functionError('assignment to entry in nil map');
}

/** The map itself is changed, and every other name for it sees that. */
function set(args: Arguments): GoValue {
  const map = args.map(0);
  if (map === undefined) throw nilMapWrite();
  setEntry(map, args.text(1), args.any(2));
  return map;
}

function unset(args: Arguments): GoValue {
  const map = args.map(0);
  if (map === undefined) return new GoMap(MAP, {}, true);
  Reflect.deleteProperty(map, args.text(1));
  return map;
}

function get(map: GoObject | undefined, key: string): GoValue | undefined {
  return map === undefined ? undefined : entryOf(map, key);
}

function pluck(args: Arguments): GoValue[] {
  const found: GoValue[] = [];
  for (let at = 1; at < args.all.length; at++) {
    const value = get(args.map(at), args.text(0));
    if (value !== undefined) found.push(value);
  }
  return found;
}

/** Go gives keys in random order; ours is that of the names. */
function keys(args: Arguments): string[] {
  return args.all.flatMap((_, at) => sortedKeys(args.map(at) ?? {}));
}

function names(args: Arguments): string[] {
  return args.all.slice(1).map((_, index) => args.text(index + 1));
}

function pick(args: Arguments): GoObject {
  const picked: GoObject = {};
  for (const name of names(args)) {
    const value = get(args.map(0), name);
    if (value !== undefined) setEntry(picked, name, value);
  }
  return picked;
}

function omit(args: Arguments): GoObject {
  const omitted = new Set(names(args));
  const kept: GoObject = {};
  const map = args.map(0) ?? {};
  for (const name of Object.keys(map)) if (!omitted.has(name)) setEntry(kept, name, entryOf(map, name) ?? null);
  return kept;
}

function dict(args: Arguments): GoObject {
  const made: GoObject = {};
  for (let at = 0; at < args.all.length; at += 2)
    setEntry(made, stringOf(args.any(at)), at + 1 < args.all.length ? args.any(at + 1) : '');
  return made;
}

function merge(args: Arguments, overwrite: boolean, context: CallContext): GoValue {
  const parts = new PartCount();
  let target = args.map(0);
  for (let at = 1; at < args.all.length; at++) {
    const source = args.map(at);
    if (source === undefined) continue;
    target ??= {};
    mergeMaps(target, source, overwrite, parts);
  }
  context.charge(parts.count);
  return target ?? new GoMap(MAP, {}, true);
}

function dig(args: Arguments): GoValue {
  const count = args.all.length - 2;
  if (count < 1) throw functionError('dig needs at least three arguments');
  const start = mapOrPanic(args.any(count + 1));
  const path = args.all.slice(0, count).map((step) => {
    if (typeof step !== 'string')
      throw functionError(
        `interface conversion: interface {} is ${step === null ? 'nil' : typeName(step)}, not string`,
      );
    return step;
  });
  let current = start;
  for (const [at, step] of path.entries()) {
    const value = entryOf(current, step);
    if (value === undefined) return args.any(count);
    if (at === path.length - 1) return value;
    current = mapOrPanic(value);
  }
  return args.any(count);
}

/** Go asserts the very type, so a map with a name of its own (`.Values`) is refused as well. */
function mapOrPanic(value: GoValue): GoObject {
  const map = value instanceof GoMap && value.type.name !== MAP.name ? undefined : asObject(value);
  if (map !== undefined) return map;
  const found = value === null ? 'nil' : typeName(value);
  throw functionError(`interface conversion: interface {} is ${found}, not map[string]interface {}`);
}

const COPY = define([ANY], ANY, (args, context) => {
  if (args.any(0) === null) throw typeOfNil();
  const parts = new PartCount();
  const copy = deepCopy(args.any(0), parts);
  context.charge(parts.count);
  return copy;
});
const MERGE = defineVariadic([MAP], MAP, ANY, (args, context) => merge(args, false, context));
const OVERWRITE = defineVariadic([MAP], MAP, ANY, (args, context) => merge(args, true, context));

export const DICTS: GoFunctions = {
  dict: defineVariadic([], ANY, MAP, dict),
  get: define([MAP, STRING], ANY, (args) => {
    const value = get(args.map(0), args.text(1));
    return value === undefined ? '' : value;
  }),
  set: define([MAP, STRING, ANY], MAP, set),
  unset: define([MAP, STRING], MAP, unset),
  hasKey: define([MAP, STRING], BOOL, (args) => get(args.map(0), args.text(1)) !== undefined),
  pluck: defineVariadic([STRING], MAP, LIST, pluck),
  keys: defineVariadic([], MAP, STRINGS, keys),
  values: define([MAP], LIST, (args) => {
    const map = args.map(0) ?? {};
    return sortedKeys(map).map((key) => entryOf(map, key) ?? null);
  }),
  pick: defineVariadic([MAP], STRING, MAP, pick),
  omit: defineVariadic([MAP], STRING, MAP, omit),
  merge: MERGE,
  mustMerge: MERGE,
  mergeOverwrite: OVERWRITE,
  mustMergeOverwrite: OVERWRITE,
  deepCopy: COPY,
  mustDeepCopy: COPY,
  dig: defineVariadic([], ANY, ANY, dig),
};
