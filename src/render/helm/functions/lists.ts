import type { GoFunction, GoFunctions } from '../template/value/go-function.js';
import { ANY, BOOL, INT, LIST, sliceOf, STRING, STRINGS, type GoKind, type GoType } from '../template/value/go-type.js';
import { functionError } from '../template/template-error.js';
import { GoBytes, GoSlice, withType, type GoValue } from '../template/value/go-value.js';
import { compareBytes } from '../template/value/go-text.js';
import { PartCount } from '../template/value/weight.js';
import { toInt64 } from './numbers/cast.js';
import { deepEqual } from './deep-equal.js';
import { define, defineVariadic, type Arguments } from './define.js';
import { elementsOf, listOf } from './elements.js';
import { stringOf } from './text.js';
import { isEmpty } from './truth.js';

const NIL_LIST = new GoSlice(LIST, [], true);

/** Any value as a list of strings; nil elements are left out. */
export function stringsOf(value: GoValue): string[] {
  const elements = elementsOf(value);
  if (elements === undefined) return value === null ? [] : [stringOf(value)];
  return elements.filter((element) => element !== null).map(stringOf);
}

function isIn(list: readonly GoValue[], value: GoValue, parts: PartCount): boolean {
  return list.some((item) => deepEqual(value, item, parts));
}

function unique(list: readonly GoValue[]): GoValue[] {
  const seen = new Set<GoValue>();
  const kept: GoValue[] = [];
  const parts = new PartCount();
  for (const item of list) {
    // What is no list or map needs no comparison with all that came before.
    if (typeof item !== 'object' && !Number.isNaN(item)) {
      if (seen.has(item)) continue;
      seen.add(item);
    } else if (isIn(kept, item, parts)) continue;
    kept.push(item);
  }
  return kept;
}

function chunk(list: readonly GoValue[], size: number): GoValue[] {
  const outOfRange = functionError('runtime error: makeslice: len out of range');
  const count = Math.floor((list.length - 1) / size) + 1;
  if (!Number.isFinite(count) || count < 0) throw outOfRange;
  const chunks: GoValue[] = [];
  for (let at = 0; at < count; at++) {
    const rest = at === count - 1 ? list.length % size : size;
    const length = rest === 0 ? size : rest;
    if (length < 0) throw outOfRange;
    chunks.push(Array.from({ length }, (_, index) => list[at * size + index] ?? null));
  }
  return chunks;
}

function slice(args: Arguments): GoValue {
  const list = args.any(0);
  const elements = listOf(list, (kind) => `list should be type of slice or array but ${kind}`);
  if (elements.length === 0) return null;
  const start = args.all.length > 1 ? toInt64(args.any(1)) : 0n;
  const end = args.all.length > 2 ? toInt64(args.any(2)) : BigInt(elements.length);
  if (start < 0n || start > end || end > elements.length)
    throw functionError('reflect.Value.Slice: slice index out of bounds');
  const [from, to] = [Number(start), Number(end)];
  if (list instanceof GoBytes) return new GoBytes(list.bytes.subarray(from, to), list.type);
  return list instanceof GoSlice ? withType(list.type, list.items.slice(from, to)) : elements.slice(from, to);
}

function concat(lists: readonly GoValue[]): GoValue {
  const all = lists.flatMap((list) => listOf(list, (kind) => `Cannot concat type ${kind} as list`));
  // Go appends to a nil list, so nothing appended leaves it nil.
  return all.length === 0 ? NIL_LIST : all;
}

function cannotFind(what: string): (kind: GoKind) => string {
  return (kind) => `Cannot find ${what} on type ${kind}`;
}

/** A function of one list. */
function ofList(
  result: GoType,
  complaint: (kind: GoKind) => string,
  call: (list: readonly GoValue[]) => GoValue,
): GoFunction {
  return define([ANY], result, (args, context) => {
    const list = listOf(args.any(0), complaint);
    context.charge(list.length);
    return call(list);
  });
}

/** In templates a panic and an error look the same, so the plain function and its `must` twin are one. */
function both(name: string, twin: string, definition: GoFunction): GoFunctions {
  return { [name]: definition, [twin]: definition };
}

function withMust(name: string, definition: GoFunction): GoFunctions {
  return both(name, `must${name.charAt(0).toUpperCase()}${name.slice(1)}`, definition);
}

const PUSH = define([ANY, ANY], LIST, (args) => [
  ...listOf(args.any(0), (kind) => `Cannot push on type ${kind}`),
  args.any(1),
]);

const CHUNK = define([INT, ANY], sliceOf(LIST), (args, context) => {
  const list = listOf(args.any(1), (kind) => `Cannot chunk type ${kind}`);
  context.charge(list.length * 8);
  return chunk(list, args.count(0));
});

const HAS = define([ANY, ANY], BOOL, (args, context) => {
  if (args.any(1) === null) return false;
  const list = listOf(args.any(1), cannotFind('has'));
  context.charge(list.length);
  return isIn(list, args.any(0), new PartCount());
});

const WITHOUT = defineVariadic([ANY], ANY, LIST, (args, context) => {
  const list = listOf(args.any(0), cannotFind('without'));
  const omitted = args.from(1);
  context.charge(list.length * omitted.length);
  const parts = new PartCount();
  return list.filter((item) => !isIn(omitted, item, parts));
});

export const LISTS: GoFunctions = {
  list: defineVariadic([], ANY, LIST, (args) => [...args.all]),
  tuple: defineVariadic([], ANY, LIST, (args) => [...args.all]),
  ...withMust('append', PUSH),
  ...withMust('push', PUSH),
  ...withMust(
    'prepend',
    define([ANY, ANY], LIST, (args) => [
      args.any(1),
      ...listOf(args.any(0), (kind) => `Cannot prepend on type ${kind}`),
    ]),
  ),
  ...withMust(
    'first',
    ofList(ANY, cannotFind('first'), (list) => list[0] ?? null),
  ),
  ...withMust(
    'last',
    ofList(ANY, cannotFind('last'), (list) => list.at(-1) ?? null),
  ),
  ...withMust(
    'rest',
    ofList(LIST, cannotFind('rest'), (list) => (list.length === 0 ? NIL_LIST : list.slice(1))),
  ),
  ...withMust(
    'initial',
    ofList(LIST, cannotFind('initial'), (list) => (list.length === 0 ? NIL_LIST : list.slice(0, -1))),
  ),
  ...withMust(
    'reverse',
    ofList(LIST, cannotFind('reverse'), (list) => [...list].reverse()),
  ),
  ...withMust(
    'compact',
    ofList(
      LIST,
      (kind) => `Cannot compact on type ${kind}`,
      (list) => list.filter((item) => !isEmpty(item)),
    ),
  ),
  ...withMust('uniq', ofList(LIST, cannotFind('uniq'), unique)),
  ...withMust('chunk', CHUNK),
  ...withMust('has', HAS),
  ...withMust('without', WITHOUT),
  ...withMust('slice', defineVariadic([ANY], ANY, ANY, slice)),
  concat: defineVariadic([], ANY, ANY, (args) => concat(args.all)),
  join: define([STRING, ANY], STRING, (args) => stringsOf(args.any(1)).join(args.text(0))),
  toStrings: define([ANY], STRINGS, (args) => stringsOf(args.any(0))),
  sortAlpha: define([ANY], STRINGS, (args, context) => {
    const elements = elementsOf(args.any(0));
    context.charge((elements?.length ?? 0) * 8);
    return elements === undefined ? [stringOf(args.any(0))] : stringsOf(args.any(0)).sort(compareBytes);
  }),
};
